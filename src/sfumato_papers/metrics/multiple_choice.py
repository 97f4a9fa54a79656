"""Accuracy of a language model on multiple-choice questions about the texts, before and after (Xin et al., 2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.document import Release
from sfumato.errors import InputError, NotMeasurable
from sfumato.formats.subject_table import read_id_table
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object
from sfumato.llm.prompt import object_schema
from sfumato.llm.windows import estimate_tokens
from sfumato.metrics.base import metric, with_cost
from sfumato.statistics import Estimate, proportion, share_of_documents
from sfumato_papers.metrics.llm import UNREADABLE, LlmJudge, change, count_prompt_injections, load_prompt

LETTERS = "ABCDEFGHIJ"
_EXPECTED = (
    'give each document\'s id, its options ("A", "B", ... or an object "options") and "answer", the right letter'
)


@dataclass(frozen=True)
class Exam:
    """One multiple-choice question."""

    options: Mapping[str, str]
    """By letter, in order."""
    answer: str
    question: str = ""
    """Empty where the document asks it."""

    @property
    def listed(self) -> str:
        return "\n".join(f"{letter}. {text}" for letter, text in self.options.items())

    def ask(self, text: str) -> dict[str, str]:
        """The variables of the prompt, and the letters that answer it."""
        letters = "".join(self.options)
        return {"text": text.strip(), "question": self.question, "options": self.listed, "letters": letters}

    def is_right(self, letter: str | None) -> float | None:
        """1 or 0; None for an answer that cannot be read."""
        return None if letter is None else float(letter == self.answer)


def load_exam(source: str | Path | Mapping[str, Any]) -> dict[str, Exam]:
    """The questions by document id, from .jsonl, .csv, a .json object by id, or from such an object itself.

    A record has ``id`` (or ``doc_id``), the options under their letters or in ``options``, the letter ``answer`` and,
    if it is not in the document, ``question``. Raises InputError for the first that is not so.
    """
    if isinstance(source, Mapping):
        return {str(key): _exam(record, f"question {key}") for key, record in source.items()}
    path = Path(source)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of questions; {_EXPECTED}")
    exams: dict[str, Exam] = {}
    for position, record in read_id_table(path):
        place = f"{path}, {position}"
        exam, key = _exam(record, place), record.get("id", record.get("doc_id"))
        if key in (None, ""):
            raise InputError(f"{place}: has no id; {_EXPECTED}")
        if str(key) in exams:
            raise InputError(f"{place}: the id {key} was there before; give each document one question")
        exams[str(key)] = exam
    if not exams:
        raise InputError(f"{path}: holds no question; {_EXPECTED}")
    return exams


def _exam(record: Any, place: str) -> Exam:
    if not isinstance(record, Mapping):
        raise InputError(f"{place}: is no record; {_EXPECTED}")
    options = _options(record)
    if len(options) < 2:
        raise InputError(f"{place}: has {len(options)} options; two are the least; {_EXPECTED}")
    answer = str(record.get("answer") or "").strip().upper()
    if answer not in options:
        raise InputError(f"{place}: the answer is not one of the letters {', '.join(options)}; {_EXPECTED}")
    return Exam(options, answer, str(record.get("question") or "").strip())


def _options(record: Mapping[str, Any]) -> dict[str, str]:
    inner = record.get("options")
    fields = inner if isinstance(inner, Mapping) else record
    options = {letter: str(fields.get(letter) or fields.get(letter.lower()) or "").strip() for letter in LETTERS}
    return {letter: text for letter, text in options.items() if text}


_ANSWER = object_schema({"answer": {"type": "string", "enum": list(LETTERS)}})


@metric("mcq-accuracy", family="judged", cite="xin2025", higher_is_better=True)
def multiple_choice_accuracy(
    releases: Sequence[Release],
    chat: Chat,
    questions: str | Path | Mapping[str, Any] | None = None,
    prompt: str | Path | None = None,
) -> Estimate:
    """Share of multiple-choice questions that a language model answers right with the release as the text."""
    if questions is None:
        raise NotMeasurable(
            "it needs a file of questions (--set mcq-accuracy.questions=FILE): each document's id, its options A, B, "
            "... and the right answer's letter"
        )
    exams = load_exam(questions)
    with_question = [item for item in releases if item.document.id in exams]
    if not with_question:
        raise NotMeasurable("no document has a question: check that the ids of the questions are the originals'")
    _check_question_without_text(with_question, exams)
    judge = LlmJudge[str](
        chat, load_prompt(prompt, "answer-question", ("text", "question", "options")), _letter, _ANSWER
    )
    budget = judge.text_budget({"text": "", "question": "", "options": ""})
    fitting = [item for item in with_question if _size(item, exams[item.document.id]) <= budget]
    if not fitting:
        raise NotMeasurable(
            f"all {len(with_question)} texts are too long for the model: take one with a larger context"
        )
    fitting_exams = {item.document.id: exams[item.document.id] for item in fitting}
    texts: list[Mapping[str, str]] = [
        {item.document.id: item.text for item in fitting},
        {item.document.id: item.document.text for item in fitting},
        dict.fromkeys(fitting_exams, ""),
    ]
    # All are asked at once.
    letters = iter(judge.ask([exam.ask(version[key]) for version in texts for key, exam in fitting_exams.items()]))
    after, before, nothing = ({key: exam.is_right(next(letters)) for key, exam in fitting_exams.items()} for _ in texts)
    hits = {key: right for key, right in after.items() if right is not None}
    if not hits:
        raise NotMeasurable(UNREADABLE)
    settings = {
        "prompt": judge.prompt.name,
        "on_originals": _accuracy(before),
        "change": change(before, after),
        "on_nothing": _accuracy(nothing),
        "chance": sum(1 / len(fitting_exams[key].options) for key in hits) / len(hits),
        "without_question": len(releases) - len(with_question),
        "too_long": len(with_question) - len(fitting),
        "unreadable": len(after) - len(hits),
        **count_prompt_injections(item.text for item in fitting),
    }
    name = f"{len(questions)} given" if isinstance(questions, Mapping) else str(questions)
    return with_cost(share_of_documents(hits, {**settings, "questions": name}), judge)


def _check_question_without_text(releases: Sequence[Release], exams: Mapping[str, Exam]) -> None:
    """A question that repeats its text would be answered from there, whatever was released."""
    for item in releases:
        text = item.document.text.strip()
        if text and text in exams[item.document.id].question:
            raise InputError(
                f"the question of document {item.document.id} holds the whole original text, so it would be answered "
                "from there: leave out the column question where the document asks it"
            )


def _letter(answer: str, question: Mapping[str, str]) -> str | None:
    letter = (parse_object(answer) or {}).get("answer")
    return letter if isinstance(letter, str) and len(letter) == 1 and letter in question["letters"] else None


def _size(item: Release, exam: Exam) -> int:
    longest = max(estimate_tokens(item.text), estimate_tokens(item.document.text))
    return longest + estimate_tokens(exam.question) + estimate_tokens(exam.listed)


def _accuracy(right: Mapping[str, float | None]) -> dict[str, Any] | None:
    readable = [value for value in right.values() if value is not None]
    return proportion(sum(readable), len(readable)) if readable else None
