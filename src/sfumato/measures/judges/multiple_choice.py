"""Can a question about a text still be answered from its release? Exam questions, before and after (paper 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.document import Release
from sfumato.errors import InputError, NotMeasurable
from sfumato.intervals import Estimate, proportion, share_of_documents
from sfumato.measures.base import charged, metric
from sfumato.measures.judges.asked import UNREADABLE, Judge, addressed, change, load_prompt, schema
from sfumato.measures.judges.questions import LETTERS, Exam, load_exam
from sfumato.models.chat import Chat
from sfumato.models.chat.reading.parse import json_object
from sfumato.models.chat.windows import estimated

_ANSWER = schema({"answer": {"type": "string", "enum": list(LETTERS)}})
Right = dict[str, float | None]
"""1 for a right answer, 0 for a wrong one, None for one that cannot be read."""


@metric("mcq-accuracy", family="judged", paper="003", higher_is_better=True)
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
    asked = [item for item in releases if item.document.id in exams]
    if not asked:
        raise NotMeasurable("no document has a question: check that the ids of the questions are the originals'")
    _check_question_is_apart(asked, exams)
    judge = Judge[str](chat, load_prompt(prompt, "answer-question", ("text", "question", "options")), _letter, _ANSWER)
    most = judge.room({"text": "", "question": "", "options": ""})
    fitting = [item for item in asked if _size(item, exams[item.document.id]) <= most]
    if not fitting:
        raise NotMeasurable(f"all {len(asked)} texts are too long for the model: take one with a larger context")
    own = {item.document.id: exams[item.document.id] for item in fitting}
    texts = [
        {item.document.id: item.text for item in fitting},
        {item.document.id: item.document.text for item in fitting},
        dict.fromkeys(own, ""),
    ]
    after, before, nothing = _answered(judge, own, texts)
    hits = {key: right for key, right in after.items() if right is not None}
    if not hits:
        raise NotMeasurable(UNREADABLE)
    said = {
        "prompt": judge.prompt.name,
        "on_originals": _accuracy(before),
        "change": change(before, after),
        "on_nothing": _accuracy(nothing),
        "chance": sum(1 / len(own[key].options) for key in hits) / len(hits),
        "without_question": len(releases) - len(asked),
        "too_long": len(asked) - len(fitting),
        "unreadable": len(after) - len(hits),
        **addressed(item.text for item in fitting),
    }
    return charged(share_of_documents(hits, {**said, "questions": _name(questions)}), judge)


def _check_question_is_apart(releases: Sequence[Release], exams: Mapping[str, Exam]) -> None:
    """A question that repeats its text would be answered from there, whatever was released."""
    for item in releases:
        text = item.document.text.strip()
        if text and text in exams[item.document.id].question:
            raise InputError(
                f"the question of document {item.document.id} holds the whole original text, so it would be answered "
                "from there: leave out the column question where the document asks it"
            )


def _answered(judge: Judge[str], exams: Mapping[str, Exam], texts: Sequence[Mapping[str, str]]) -> list[Right]:
    """Whether the right option is chosen, for each way of giving the texts. All are asked at once."""
    letters = iter(
        judge.ask(
            [
                {
                    "text": given[key].strip(),
                    "question": exam.question,
                    "options": exam.listed,
                    "letters": "".join(exam.options),
                }
                for given in texts
                for key, exam in exams.items()
            ]
        )
    )
    found: list[Right] = []
    for _ in texts:
        answers = {key: next(letters) for key in exams}
        found.append({key: None if said is None else float(said == exams[key].answer) for key, said in answers.items()})
    return found


def _letter(answer: str, question: Mapping[str, str]) -> str | None:
    said = (json_object(answer) or {}).get("answer")
    return said if isinstance(said, str) and len(said) == 1 and said in question["letters"] else None


def _size(item: Release, exam: Exam) -> int:
    longest = max(estimated(item.text), estimated(item.document.text))
    return longest + estimated(exam.question) + estimated(exam.listed)


def _accuracy(right: Right) -> dict[str, Any] | None:
    known = [one for one in right.values() if one is not None]
    return proportion(sum(known), len(known)) if known else None


def _name(questions: str | Path | Mapping[str, Any]) -> str:
    return f"{len(questions)} given" if isinstance(questions, Mapping) else str(questions)
