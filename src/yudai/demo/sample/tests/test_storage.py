from datetime import date

import pytest

from passbook import Ledger, Transaction, storage
from passbook.__main__ import main

STATEMENT = """\
date,payee,amount
2024-05-02,Employer Ltd,2150.00
2024-05-03,Tramways,-2.80
"""
RULES = "transport: tramways | railway  # getting about\n"


def test_a_ledger_survives_the_file(tmp_path):
    path = tmp_path / "ledger.csv"
    ledger = Ledger(
        [
            Transaction(date(2024, 5, 2), 215000, "Employer, Ltd", 'the "May" salary'),
            Transaction(date(2024, 5, 3), -280, "Tramways"),
        ],
        opening=-50,
    )
    storage.save(ledger, path)
    loaded = storage.load(path)
    assert list(loaded) == list(ledger)
    assert loaded.balance() == ledger.balance()
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.csv"]


def test_a_missing_file_is_an_empty_ledger(tmp_path):
    assert len(storage.load(tmp_path / "ledger.csv")) == 0


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "ledger.csv"
    path.write_text("opening,0\na,b\n")
    with pytest.raises(ValueError, match="not a ledger"):
        storage.load(path)


@pytest.fixture
def files(tmp_path):
    statement = tmp_path / "statement.csv"
    statement.write_text(STATEMENT)
    (tmp_path / "rules.txt").write_text(RULES)
    return str(tmp_path / "ledger.csv"), str(statement), str(tmp_path / "rules.txt")


def test_import_twice_and_ask_for_the_balance(files, capsys):
    ledger, statement, _ = files
    assert [main(["import", ledger, statement]) for _ in range(2)] == [0, 0]
    assert main(["balance", ledger]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 imported, 0 skipped",
        "0 imported, 2 skipped",
        "2147.20",
    ]


def test_report_by_rules(files, capsys):
    ledger, statement, rules = files
    main(["import", ledger, statement])
    assert main(["report", ledger, "--rules", rules]) == 0
    assert "transport               -2.80" in capsys.readouterr().out


def test_errors_are_one_line(files, capsys):
    ledger, _, rules = files
    assert main(["import", ledger, rules]) == 1
    assert capsys.readouterr().err.startswith("passbook: line 1: unknown columns")
