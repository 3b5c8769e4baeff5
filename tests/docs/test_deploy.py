"""What deployment files name is there."""

from pathlib import Path

from yudai.settings import Settings

ROOT = Path(__file__).parent.parent.parent
KNOWN = {str(field.validation_alias) for field in Settings.model_fields.values()}


def test_the_example_of_production_names_settings_and_fits_them():
    lines = (ROOT / "deploy" / "production.env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    assert set(given) <= KNOWN
    assert given["SANDBOX_BACKEND"] == "e2b"
    assert Settings.model_fields["sandbox_backend"].validation_alias == "SANDBOX_BACKEND"
