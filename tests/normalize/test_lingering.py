"""What leaves something running, after which a look at the workspace is a poll."""

import pytest
from callkey import ToolCall, effects, tool_effect

LEAVES = (
    "make > build.out 2>&1 &",
    "nohup make > build.out",
    "(cd web && npm run dev > log) & sleep 2; cat log",
    "python train.py > out.txt & disown",
    "if true; then ./serve & fi",
    'bash -c "make > log &"',
    "docker run -d redis",
    "docker run -itd redis",
    "docker compose up --detach",
    "sudo systemctl restart app",
    "PORT=3000 pm2 start app.js",
    "tmux new-session -d 'make'",
    "wget -q https://h.example/big.iso &",
    "make &\nx=$(", # unreadable
)  # fmt: skip
ENDS = (
    "make",
    "curl -X POST 'https://h.example/u?a=1&b=2'",
    "git commit -m 'Look at the service screen & more'",
    "make > log 2>&1 && cat log",
    "make &> log",
    "cat a.txt &",
    "grep -rn nohup src",
    "docker build -t x .",
    "sed -i 's/a/&b/' f",
)


@pytest.mark.parametrize("command", LEAVES)
def test_what_goes_on_in_the_background_lingers(command: str) -> None:
    assert effects(command).lingers


@pytest.mark.parametrize("command", ENDS)
def test_what_ends_with_its_call_does_not(command: str) -> None:
    assert not effects(command).lingers


@pytest.mark.parametrize("argument", ["run_in_background", "is_background"])
def test_an_argument_of_the_tool_says_so(argument: str) -> None:
    call = ToolCall("Bash", {"command": "python train.py > out.txt", argument: True})
    assert tool_effect(call).lingers
    assert not tool_effect(ToolCall("Bash", {"command": "python train.py > out.txt", argument: False})).lingers
