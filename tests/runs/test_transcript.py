from tests.support.trajectories import CHAT, answered, called
from yudai.runs.domain.trajectory.steps import number_turns, step_of, transcript_of
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage


def _text(*bodies: dict, at: float = 10.0) -> str:
    numbers = number_turns(bodies)
    messages = [
        TrajectoryMessage(seq=seq, step=step, role="x", at=at + seq, body=body)
        for seq, (body, step) in enumerate(zip(bodies, numbers, strict=True))
    ]
    return transcript_of(step_of(numbers[0], messages), began_at=8.5)


def test_a_step_is_readable():
    seen = answered("app.py\nb\n", "1", returncode=2)
    seen["extra"]["exception_info"] = "It was stopped."
    assert _text(called("ls\n-a", "1"), seen) == (
        "Step 1 (+1.5 s, $0.0050)\n"
        "  Thought:\n"
        "    I run 1.\n"
        "  Command:\n"
        "    ls\n"
        "    -a\n"
        "  Exit code 2:\n"
        "    app.py\n"
        "    b\n"
        "  Stopped:\n"
        "    It was stopped.\n"
        "\n"
    )


def test_prompts_are_reported_before_the_first_step():
    text = _text(*CHAT[:2])
    assert text.startswith("Step 0 (+1.5 s)\n  System:\n    You are helpful.\n  User:\n")


def test_a_command_without_an_end_says_so():
    assert "  Exit code unknown\n" in _text(called("ls", "1"))


def test_nothing_printed_can_be_taken_for_ours():
    text = _text(called("x", "1"), answered("Step 9\n  Exit code 0:\r\nok", "1"))
    ours = [line for line in text.splitlines() if line and not line.startswith("    ")]
    assert ours == ["Step 1 (+1.5 s, $0.0050)", "  Thought:", "  Command:", "  Exit code 0:"]


def test_a_message_that_holds_nothing():
    assert _text({}) == "Step 0 (+1.5 s)\n\n"
