"""What a rule for a checker, a formatter or a runner of tests covers: what to look at, and how to tell of it."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.agent.permissions.rules import covers_command
from tests.support.cases import each

ORDINARY = [
    "pytest", "pytest -q", "pytest -xvs tests", "pytest -x -q tests/test_a.py::test_b", "pytest -k 'a and not b'",
    "pytest -kfoo", "pytest -vvk foo", "pytest -m 'not slow'", "pytest -n auto", "pytest -n4", "pytest -qn 4",
    "pytest -n auto --dist loadfile", "pytest --dist=loadscope", "pytest --lf", "pytest --ff -x", "pytest --nf",
    "pytest --sw", "pytest --maxfail=1", "pytest --maxfail 2", "pytest --tb=short", "pytest --tb short -q",
    "pytest --co -q", "pytest --collect-only", "pytest --durations=10", "pytest --no-header --no-summary",
    "pytest --color=yes", "pytest -ra", "pytest -rA -q", "pytest -rfE", "pytest -l --showlocals",
    "pytest --timeout=60", "pytest --timeout 60", "pytest --cov", "pytest --cov=src",
    "pytest --cov src --cov-report term-missing", "pytest --cov=src --cov-report=term-missing:skip-covered",
    "pytest --cov-report=", "pytest --cov-report=html", "pytest --no-cov", "pytest --cov-fail-under=80",
    "pytest --deselect tests/a.py::b", "pytest --ignore=tests/slow", "pytest --ignore-glob='*_x.py'",
    "pytest --pyargs a.b", "pytest -p no:cacheprovider -q", "pytest -pno:randomly", "pytest -W error",
    "pytest -W ignore::DeprecationWarning", "pytest -Werror", "pytest -W 'ignore:a b:UserWarning'",
    "pytest --strict-markers", "pytest --randomly-seed=1", "pytest --snapshot-update", "pytest --setup-show",
    "pytest --fixtures", "pytest --log-cli-level=DEBUG", "pytest --capture=no", "pytest --doctest-modules src",
    "pytest --disable-warnings", "pytest --asyncio-mode=auto", "pytest --reruns 2", "pytest --cache-clear",
    "pytest tests -- ", "py.test -q", "pytest --hypothesis-seed=0", "pytest --version", "pytest -h", "mypy src",
    "mypy --strict src", "mypy -p a", "mypy -m a.b", "mypy --ignore-missing-imports .", "mypy -c 'a: int'",
    "mypy --python-version 3.12 a.py", "mypy --pretty --show-error-codes a.py", "mypy --no-error-summary a.py",
    "mypy --disable-error-code=misc a.py", "mypy --exclude build .", "mypy --no-incremental a.py",
    "mypy --cache-dir=/dev/null a.py", "mypy --follow-imports=silent a.py", "mypy --check-untyped-defs a.py",
    "ruff check", "ruff check --fix src", "ruff check --select E,F --ignore E501",
    "ruff check --output-format=concise", "ruff check --output-format github .", "ruff format --check .",
    "ruff format --diff a.py", "ruff check -q --no-cache", "ruff check --statistics", "ruff check -e",
    "ruff check --unsafe-fixes --fix", "ruff rule E501", "ruff --version", "black .", "black --check --diff src",
    "black -l 100 a.py", "black -l100 -q a.py", "black -t py311 -S a.py", "flake8 --max-line-length=100 src",
    "flake8 --select E9,F63 --show-source --statistics", "flake8 -j 4 src", "isort --check-only --diff src",
    "isort -c -q .", "isort --profile black .", "isort -l 100 a.py", "pyright", "pyright --outputjson src",
    "pyright --warnings", "pyright --pythonversion 3.12", "pylint src", "pylint -E src",
    "pylint --disable=C0114,W0611 src", "pylint -j 4 --output-format=json src", "gofmt -l .", "gofmt -s -w a.go",
    "gofmt -d .", "rustfmt --check src/lib.rs", "rustfmt --edition 2021 a.rs",
    "yamllint -s .", "yamllint -f parsable a.yml", "shellcheck -x a.sh", "shellcheck -f gcc -S warning a.sh",
    "mkdir -p a/b", "mkdir -m 755 x", "touch -c a", "touch -d 2001-01-01 a", "touch -r a b", "tsc --noEmit",
    "tsc -p tsconfig.json --noEmit", "tsc --project packages/a", "tsc -b", "tsc -b packages/a packages/b -v",
    "tsc -t es2022 -m nodenext --noEmit src/a.ts", "tsc --noEmit --pretty false", "eslint .",
    "eslint --ext .ts,.tsx src", "eslint --fix src", "eslint src --max-warnings=0 --quiet", "eslint -f json",
    "eslint --format stylish a.js", "eslint --cache .", "eslint --no-error-on-unmatched-pattern a.js",
    "prettier --check .", "prettier -w src", "prettier --write a.ts --ignore-unknown",
    "prettier --parser typescript a", "jest", "jest -t 'a b'", "jest --coverage --runInBand", "jest -i src/a.test.ts",
    "jest --watchAll=false -u", "vitest run", "vitest run -t x --coverage", "vitest --run --reporter=verbose",
    "vitest run --reporter dot src/a",
]  # fmt: skip
MORE = [
    "pytest -d --tx 'popen//python=sh -c id' tests", "pytest --tx=ssh=host", "pytest --px x", "pytest --rsyncdir=src",
    "pytest --log-file=x", "pytest --log-file x", "pytest --junitxml=x", "pytest --junit-xml x", "pytest --debug=x",
    "pytest --report-log=x", "pytest --html=x", "pytest --cov-report=xml:x", "pytest --cov-report html:x",
    "pytest --cov-config=x", "pytest -p evil", "pytest -pevil", "pytest -xp evil", "pytest -p=evil", "pytest -p no",
    "pytest -c x", "pytest -o a=b", "pytest -qo a=b", "pytest --rootdir x", "pytest --confcutdir=x", "pytest --pdb",
    "pytest --pdbcls=a:b", "pytest --basetemp=x", "pytest @x", "pytest -W error::evil.Warning", "pytest -Werror::a.B",
    "pytest --pythonwarnings=error::a.B", "pytest --ds=evil", "pytest --pastebin=all", "pytest --snapshot-report=x",
    "pytest --import-mode=append", "pytest --override-ini=a=b", "pytest --snapshot-default-extension=a.B",
    "pytest --benchmark-json=x", "pytest -k --tx=x", "pytest -- --tx=x", "pytest --cov-report --tx=x",
    "mypy --junit-xml x", "mypy --any-exprs-report x", "mypy --html-report=x", "mypy --python-exec x", "mypy --pdb",
    "mypy --cache-dir=x", "mypy --cache-dir x", "mypy --config-file x", "mypy --install-types --non-interactive",
    "mypy --shadow-file a b", "mypy --custom-typeshed-dir x", "mypy @x", "ruff check --config x", "ruff check -o x",
    "ruff check -no x", "ruff check --output-file=x", "ruff check @x", "ruff check --cache-dir x",
    "ruff analyze graph --python ./x", "black --config x", "black --conf x", "flake8 --config x",
    "flake8 --append-config=x", "flake8 --output-file x", "flake8 --format=evil", "flake8 --tee",
    "isort --settings-path x", "isort --sp x", "isort -sp x", "isort --sort-order evil", "isort --virtual-env x",
    "pyright -p x", "pyright --pythonpath x", "pyright --createstub a", "pylint --init-hook=x a", "pylint --rcfile x",
    "pylint --load-plugins=x a", "pylint --output=x a", "pylint --output-format=json:x a", "pylint -f evil.Reporter a",
    "isort --add-import 'import os; os.system(x)' a.py", "isort -a 'import x' a.py", "isort --remove-import x a.py",
    "gofmt -r 'a -> b' -w .", "mypy --num-workers 2 src",
    "jest -tc ./x.js", "jest -wc ./x.js", "vitest -tc ./x.ts", "vitest -uc x.ts",
    "gofmt -cpuprofile x", "gofmt -cpuprofile=x", "rustfmt --config a=b", "rustfmt --config-path x", "rustfmt +evil a",
    "yamllint -c x", "yamllint -d x", "shellcheck --rcfile=x a.sh", "mkdir -- -o", "touch ./--eval=x", "mkdir -Z a",
    "tsc -b ../other", "tsc --build packages/a packages/../../x", "tsc -b /x", "tsc ../x.ts", "tsc -tsBuildInfoFile x",
    "tsc -p ../other", "tsc --project /x", "tsc --outDir x", "tsc --outFile=x", "tsc @x", "tsc --generateTrace x",
    "eslint -o x", "eslint -c x", "eslint --rulesdir x", "eslint --resolve-plugins-relative-to x", "eslint --parser x",
    "eslint --plugin x", "eslint -f ./x.js", "eslint --rule 'a: 1'", "eslint --cache-location x", "eslint --init",
    "prettier --plugin=x", "prettier --config x", "prettier --parser ./x", "prettier --cache-location=x", "jest -c x",
    "jest --config={}", "jest --globalSetup x", "jest --outputFile=x --json", "jest --reporters=x",
    "jest --coverageDirectory=x", "jest --testEnvironment x", "jest --changedSince=--output=x", "jest --rootDir x",
    "vitest -c x", "vitest --config x", "vitest --outputFile=x", "vitest --reporter=./x", "vitest --pool ./x",
    "vitest --coverage.reportsDirectory=x", "vitest --environment x", "vitest --root x", "vitest --changed=--output=x",
    "vitest list --json=x", "pylint --source-roots=x a",
]  # fmt: skip


@each("command", ORDINARY)
def test_what_says_where_to_look_is_covered(command: str) -> None:
    assert covers_command(f"{command.split()[0]}:*", command, Path.cwd())


@each("command", MORE)
def test_what_may_run_or_write_something_else_is_not(command: str) -> None:
    assert not covers_command(f"{command.split()[0]}:*", command, Path.cwd())
