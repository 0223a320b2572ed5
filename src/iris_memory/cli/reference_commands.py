"""The page of commands, from the commands themselves, and of their exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iris_memory.cli.exit_codes import MEANINGS, ExitCode
from iris_memory.cli.markdown import code, page, table


def commands_page(root: Any) -> str:
    """Return the page of every command below the root command."""
    context = _context(root, "iris", None)
    parts = [part for command, held in _leaves(root, context) for part in _command(command, held)]
    return page(
        "Commands",
        "Every command answers with text for people, or with `--json` with one JSON document on stdout and nothing"
        " else. Errors go to stderr in one line; with `--json` they are an object"
        ' `{"error": {"code": ..., "message": ...}}` on stdout. A refusal by policy is an answer, not an error, and has'
        " an exit code of its own. Nothing is asked with `--json`.",
        "## Exit codes",
        table(("code", "name", "meaning"), [(str(int(one)), code(_kebab(one)), MEANINGS[one]) for one in ExitCode]),
        "## Commands",
        *parts,
    )


def _kebab(one: ExitCode) -> str:
    return one.name.lower().replace("_", "-")


def _context(command: Any, name: str, parent: Any) -> Any:
    return command.context_class(command, info_name=name, parent=parent)


def _leaves(group: Any, context: Any) -> Iterator[tuple[Any, Any]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        held = _context(command, name, context)
        if hasattr(command, "list_commands"):
            yield from _leaves(command, held)
        else:
            yield command, held


def _command(command: Any, context: Any) -> Iterator[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    words = [context.command_path, *(_placed(one) for one in arguments), "[OPTIONS]"]
    yield f"### {context.command_path}"
    yield f"```\n{' '.join(words)}\n```"
    yield from (" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    rows = [(code(_placed(one)), _help(one), "") for one in arguments]
    rows += [(code(_spelt(one)), _help(one), _default(one)) for one in options]
    yield table(("", "what it is", "default"), rows)


def _placed(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()) + ("..." if argument.nargs == -1 or argument.multiple else "")
    return name if argument.required else f"[{name}]"


def _spelt(option: Any) -> str:
    names = "/".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {option.metavar or 'VALUE'}"


def _help(parameter: Any) -> str:
    needed = "; required" if parameter.param_type_name == "option" and parameter.required else ""
    variable = f"; or {code(parameter.envvar)}" if getattr(parameter, "envvar", None) else ""
    return f"{parameter.help}{needed}{variable}"


def _default(option: Any) -> str:
    value = option.default
    if value is None or value is False or value == "" or option.required:
        return ""
    if value is True:
        return code(option.opts[0])
    return ", ".join(code(str(one)) for one in (value if isinstance(value, (list, tuple)) else [value]))
