"""The rules of a verdict: one row each, with a version that each verdict names.

A test can leave a rule out (`RULES.without(...)`) to show what the rule is for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

VERSION = 1


class Rule(StrEnum):
    RED_FOR_A_REASON = "red_for_a_reason"
    INTERFACE_IS_NO_PROOF = "interface_is_no_proof"
    SUBJECTS_PROVE_NOTHING = "subjects_prove_nothing"
    ONLY_PASSED_PASSES = "only_passed_passes"
    ONLY_PROOFS_CONVICT = "only_proofs_convict"
    AUTHOR_STANDS = "author_stands"
    AUTHOR_PASSES_AGAIN = "author_passes_again"
    ENDS_IN_TIME = "ends_in_time"
    FOREIGN_NAMES_ACQUIT = "foreign_names_acquit"
    SUPPORT_DECIDES = "support_decides"
    COMMANDS_NEED_TWO = "commands_need_two"
    EQUAL_IS_ONE = "equal_is_one"
    EXPECTATIONS_NEED_A_REASON = "expectations_need_a_reason"
    FAILURES_ARE_CONFIRMED = "failures_are_confirmed"
    UNKNOWN_IS_A_QUESTION = "unknown_is_a_question"
    DIFFERENCE_IS_A_QUESTION = "difference_is_a_question"
    VALUES_ARE_RECORDED = "values_are_recorded"


TEXTS: Mapping[Rule, str] = MappingProxyType(
    {
        Rule.RED_FOR_A_REASON: "A test proves only if it fails on base because of what base does: "
        "an assertion, an exception in repository code, or a hang that ends.",
        Rule.INTERFACE_IS_NO_PROOF: "A test of something that the patch itself introduced proves "
        "only what the issue names, or what it still shows with that kept and the rest taken back.",
        Rule.SUBJECTS_PROVE_NOTHING: "A test about source text, documents, data files, private "
        "names, wording or timing that the issue does not ask for neither proves nor convicts.",
        Rule.ONLY_PASSED_PASSES: "A valid test that is not passed has failed: a skip, an expected "
        "failure or an empty report is no pass.",
        Rule.ONLY_PROOFS_CONVICT: "Only a test that would prove convicts another answer.",
        Rule.AUTHOR_STANDS: "A test of an answer that has failed convicts nobody.",
        Rule.AUTHOR_PASSES_AGAIN: "A test convicts only if its author still passes it after all "
        "others were examined.",
        Rule.ENDS_IN_TIME: "A test that takes far longer on another answer than on its author's "
        "does not convict it.",
        Rule.FOREIGN_NAMES_ACQUIT: "An answer is not convicted for lacking names that only the "
        "test's author chose.",
        Rule.SUPPORT_DECIDES: "Where authors fail each other's tests, the test that more "
        "independent answers pass stands; equal support is a question.",
        Rule.COMMANDS_NEED_TWO: "A plain command convicts only together with a second author's.",
        Rule.EQUAL_IS_ONE: "Equal patches are one answer, and add no weight to each other.",
        Rule.EXPECTATIONS_NEED_A_REASON: "A changed expectation is accepted if the issue gives the "
        "new value for the same call and inputs, or if two independent answers agree and no "
        "answer that passes keeps the old.",
        Rule.FAILURES_ARE_CONFIRMED: "What would fail a patch is run again, alone, on the patch "
        "and on base, before it counts.",
        Rule.UNKNOWN_IS_A_QUESTION: "A test that counts and could not be run is a question.",
        Rule.DIFFERENCE_IS_A_QUESTION: "Answers that pass and behave differently are not ordered "
        "by size: a person is asked.",
        Rule.VALUES_ARE_RECORDED: "What tests compare is computed again where no test runner is "
        "loaded, also with other inputs: what is right only inside a runner has failed, and "
        "answers with different values behave differently.",
    }
)


@dataclass(frozen=True)
class Rules:
    version: int = VERSION
    left_out: frozenset[Rule] = frozenset()

    def without(self, *rules: Rule) -> "Rules":
        return replace(self, left_out=self.left_out | frozenset(rules))

    def __contains__(self, rule: Rule) -> bool:
        return rule not in self.left_out


RULES = Rules()
