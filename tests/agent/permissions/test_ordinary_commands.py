"""Commands of every day, with all that shells and programs write in them: where all of Bash is allowed, they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide

ORDINARY = [
    "sed -E 's#src/(a|b)/c#x#' a.txt > out",
    "python3 - <<'E'\nfrom pathlib import Path\nprint(Path('src/a.py').read_text(), len([1]), 'a/b'.split('/'))\nE",
    "f() { echo $1; }; f ./a.py",
    "node -e 'require(\"./src/x\").go(1)' > out",
    "ls src/*.py",
    "rm -f build/*.o",
    "echo {1..10}",
    "cp a.{py,txt} build",
    "cat ~/projects/foo/*.md",
    "for f in *.py; do echo $f; done",
    "awk '{print $1}' a.txt",
    "find . -name '*.py'",
    'grep -r "foo.*bar" src',
    'curl -d \'{"a": [1, 2], "b": {"c": "d/e.f"}}\' https://example.org > out.json',
    "echo ${VAR}",
    'cp README.md "${OUT}x"',
    "mkdir -p src/{a,b,c}/{x,y}",
    "touch file{1..500}.txt",
    "mv a.py{,.bak}",
    "cp README.md{,.orig} > log",
    "for i in {1..1000}; do echo $i; done",
    "for i in $(seq 10); do echo $i; done",
    "echo {a..z}{0..9}",
    "awk '/foo[^/]*/ {print $2}' a.txt > out",
    "sed 's/[^/]*$//' a.txt > out",
    "grep -o '/[^/]*$' a.txt > out",
    "sed -n '/^a/,/b[^/]*/p' a.txt > out",
    "awk -F, '{print $1,$2}' a.txt > out",
    "sed -E 's/(a|b)/c/g' a.txt > out",
    "python3 -c 'print({1:2, 3:4})' > out",
    "node -e 'console.log({a:1,b:2})' > out",
    "python - <<'E'\nx = {'a': [1, 2], 'b': {'c': 3}}\nprint(x['a'][0], f'{x}')\nE",
    "cat > x.ts <<'E'\nimport {a,b} from './c.js';\nconst x={a:1,b:{c:2,d:3}};\nE",
    "cat <<'E' > main.rs\nuse std::{fs,io,path::{Path,PathBuf}};\nfn main() { println!(\"{}\", 1); }\nE\ncargo build",
    "git diff --stat HEAD~3 > out",
    "git log --format='%h %s' | head -5 > out",
    "git show HEAD@{1} > out",
    "git stash show stash@{0} > out",
    "git diff HEAD^ > out",
    "git add -A && git commit -m 'Fix {a,b}' > log",
    "tar czf dist.tar.gz src",
    "find . -name '*.pyc' -delete",
    "find src -type f -exec wc -l {} + > out",
    "find . -name '*.py' -print0 | xargs -0 wc -l > out",
    "rm -rf build dist *.egg-info > log",
    "ls *.md > out",
    "cat src/*.py | head > out",
    "wc -l src/**/*.py > out",
    "ls **/*.py > out",
    "ls l**/*.py > out",
    "[ -f a.py ] && echo yes > out",
    "if [[ $x == a* ]]; then echo y; fi",
    "[[ -f a.py && $y =~ ^[a-z]+$ ]] && echo y",
    "declare -A m; m[a]=1; echo ${m[a]}",
    "echo ${x:-{a,b}} > out",
    "case $x in a*) echo 1;; b?) echo 2;; *) echo 3;; esac",
    'while read -r l; do echo "$l"; done < a.txt',
    "x=$((1+2)); echo $x",
    "cd src && ls > out",
    "cd src; cat *.py > ../out",
    'cd "$(git rev-parse --show-toplevel)" && ls',
    "(cd src && ls *.py)",
    "cd - > /dev/null; ls > x",
    'CDPATH= cd -- "$(dirname -- "$0")" && pwd',
    "unset CDPATH; cd src; ls > x",
    "pushd src > /dev/null; ls; popd > /dev/null",
    "cd /tmp && ls > x",
    "cd build && cmake .. > log",
    "make -C src all > log",
    "make test 2>&1 | tee log",
    "npm ci && npm run build > log",
    "npx prettier --write 'src/**/*.{ts,tsx}'",
    "npx eslint src/**/*.{ts,tsx} > out",
    'prettier --check "**/*.{js,json,md}" > out',
    "rg 'foo(bar|baz)' src > out",
    "rg -g '*.{py,md}' foo > out",
    "grep -rn --include='*.{py,js}' foo src > out",
    "grep -rn 'foo[0-9]*' . > out",
    "jq '.a[] | {b: .c, d: .e}' package.json > out",
    "jq -r '.scripts | keys[]' package.json > out",
    "curl -s https://example.org/x.json | jq . > out",
    "curl -s 'https://example.org/a[1-3].json' > out",
    'curl -sS -X POST -H \'Content-Type: application/json\' -d \'[{"a":1,"b":2},{"a":3,"b":4}]\' https://example.org/v1',
    "curl -s 'https://example.org/img[1-9].png' -o 'img#1.png'",
    "curl -g 'https://[::1]/x' > out",
    "docker run --rm -v $PWD:/w -w /w x ls",
    "docker run --rm -v ${PWD}/src:/w x ls",
    "docker ps --format '{{.Names}} {{.Status}}' > out",
    "kubectl get pods -o jsonpath='{.items[*].metadata.name}' > out",
    "export X=$PWD/src; ls $X",
    "PYTHONPATH=$PWD/src python -m pytest -q",
    "ls ~/projects > out",
    "ls ~/docs/*.md > out",
    "cat $HOME/docs/x.md > out",
    "ls ~/*.md > out",
    "cp ~/projects/foo/a.md . > log",
    "pytest tests/test_{a,b}.py -q > log",
    "pytest 'tests/test_a.py::test[x-1]' > log",
    "diff <(sort a.txt) <(sort a.py)",
    "echo 'a*b?c[d]' > out",
    "printf '%s\\n' {a,b,c} > out",
    "seq 1 10 | xargs -I{} echo {} > out",
    "sed -i 's/a\\{2\\}/b/' a.txt; ls > x",
    "perl -pe 's/(\\w+)\\{(\\d+),(\\d+)\\}/$1/' a.txt > out",
    "python3 -c \"import json; print(json.dumps({'a': [{'b': 1}, {'c': 2}]}))\" > out",
    'echo \'{"name": "x", "files": ["src/*.py", "docs/**"], "n": {"a": 1, "b": 2}}\' > conf.json',
    "git branch | sed 's/^..//' > out",
    "rm -rf node_modules/{a,b} > log",
    "time pytest -q > log",
    "mkdir -p {src,tests}/{unit,e2e}/{a,b,c,d}",
    "chmod +x scripts/*.sh > log",
    "ls -la /usr/lib/python3*/ > out",
    "ls /usr/include/*.h | head > out",
    "echo $'a\\nb' > out",
    "x=`git rev-parse HEAD`; echo $x",
    "echo `date` > out",
    "export PATH=$PATH:$PWD/bin; ls",
    "ls .github/*/*.yml > out",
    "cat .gitignor* > out",
    'echo "${x[@]}" > out',
    "git log --pretty=format:'%C(yellow)%h%Creset %s' > out",
    "find . \\( -name '*.py' -o -name '*.md' \\) > out",
    "rm -f *~ > log",
    "go test ./... > log",
    "cargo test -- --nocapture > log",
    "git checkout -- src/*.py > log",
    "git grep -n 'foo.*bar' -- '*.py' > out",
]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A project in a home directory that has keys and start-up files."""
    home, project = Path.home(), Path.home() / "work" / "project"
    for file in (".ssh/id_rsa", ".netrc", ".bashrc", ".config/gh/hosts.yml", "projects/foo/a.md", "docs/x.md", "n.md"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).touch()
    for file in (
        "src/a.py",
        "src/b.py",
        "README.md",
        "a.py",
        "a.txt",
        "build/x.o",
        ".git/HEAD",
        ".github/workflows/a.yml",
    ):
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).touch()
    (project / "link").symlink_to("src")
    (project / "lib").mkdir()
    (project / "lib" / "link").symlink_to("../src")
    return project


def test_with_all_of_bash_none_of_them_is_refused(work: Path) -> None:
    judge = Judge(["Bash"], work, person=False)
    assert len(ORDINARY) > 100
    assert [command for command in ORDINARY if decide(judge, "Bash", bash(command)) != "allow"] == []


def test_programs_of_the_machine_that_variables_name_are_ordinary(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path.home() / "tools" / "edit"
    own.parent.mkdir()
    own.touch()
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("EDITOR", "/usr/bin/env")
    monkeypatch.setenv("VISUAL", f"{own} --wait")
    judge = Judge(["Bash"], work, person=False)
    commands = ["/bin/sh a.sh", "docker exec web /bin/sh -c ls", "make SHELL=/bin/sh test", "ls -l /usr/bin/env > log"]
    assert [command for command in commands if decide(judge, "Bash", bash(command)) != "allow"] == []
    assert decide(judge, "Bash", bash(f"cp a.py {own}")) == "deny"
    assert decide(judge, "Bash", bash("cp a.py /bin/sh")) == "deny"
