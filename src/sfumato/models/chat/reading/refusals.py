"""Answers in which a model declines, in ten languages. Written for this project."""

from __future__ import annotations

import re

_HEAD = 300
"""Characters of an answer in which a refusal shows."""
_SORRY = (
    r"(?:i(?:['’]m| am) (?:very |so |truly )?sorry|sorry|my apologies|i apologi[sz]e|unfortunately|regrettably"
    r"|lo siento(?: mucho)?|lo lamento|disculpa|desafortunadamente|lamentablemente"
    r"|(?:es )?tut mir(?: sehr)? leid|entschuldigung|leider"
    r"|(?:je suis )?(?:vraiment )?désolée?|malheureusement"
    r"|mi dispiace|purtroppo|(?:me )?desculpe|sinto muito|lamento|infelizmente"
    r"|het spijt me|helaas|извините|простите|к сожалению|很?抱歉|对不起|申し訳(?:ありません|ございません))"
)
_UNABLE = (
    r"(?:i (?:can ?not|can['’]t|won['’]t|will not|must decline|am unable|am not able|do not feel|don['’]t feel)"
    r"|i(?:['’]m) (?:unable|not able|not comfortable)"
    r"|no (?:puedo|me es posible)|ich (?:kann|darf)(?: \w+){0,4} nicht|(?:\w+ )?kann ich(?: \w+){0,4} nicht"
    r"|je ne (?:peux|suis) pas|non (?:posso|sono in grado)|não (?:posso|consigo)"
    r"|ik kan(?: \w+){0,4} niet|(?:\w+ )?kan ik(?: \w+){0,4} niet"
    r"|я не могу|не могу|我(?:无法|不能)|できません|いたしかねます)"
)
_SERVE = (
    r"(?:assist|help|comply|provide|fulfil+|process|share|rewrite|anonymi[sz]e|identify|continue|list|answer|complete"
    r"|support|engage|generate|respond|do that|do this|create|extract|participate|reveal|disclose"
    r"|ayudar|proporcionar|cumplir|identificar|responder|completar|helfen|weiterhelfen|bereitstellen|beantworten"
    r"|ausführen|erfüllen|aider|fournir|répondre|identifier|aiutar|fornire|rispondere|soddisfare|ajudar|fornecer|atender"
    r"|helpen|voldoen|verstrekken|помочь|предоставить|выполнить|帮助|协助|提供|满足|お手伝い|お答え|提供)"
)
_MACHINE = (
    r"(?:as an? (?:ai|artificial intelligence|(?:large )?language model)(?: (?:language )?(?:model|assistant))?\s*,"
    r"|as an? (?:ai )?(?:large )?language model"
    r"|como (?:un |uma? )?(?:modelo de (?:lenguaje|linguagem)|asistente de ia|assistente de ia|ia\s*,)"
    r"|als (?:ki|ki-modell|ki-assistent|sprachmodell|ai|ai-model|taalmodel)\b"
    r"|en tant qu(?:['’]ia\b|e modèle|['’]assistant|['’]intelligence artificielle)"
    r"|come (?:modello linguistico|intelligenza artificiale|ia\s*,)"
    r"|как (?:языковая модель|искусственный интеллект|ии\b)|作为(?:一个|一名)?(?:ai|人工智能|语言模型)|aiとして)"
)
_OPENING = r"[\s\"'“”‘’*_>#.\-]*"
_REFUSAL = re.compile(
    rf"{_OPENING}(?:"
    rf"{_MACHINE}"
    rf"|(?:{_SORRY}\W{{0,4}})?(?:but |pero |aber |mais |ma |mas |maar |но |但)?\W{{0,3}}{_UNABLE}[^\n]{{0,80}}?{_SERVE}"
    rf"|{_SORRY}\W{{0,4}}(?:but |pero |aber |mais |ma |mas |maar |но )?\W{{0,3}}{_UNABLE}[^\n]{{0,60}}$"
    rf"|{_SORRY}[^\n]{{0,40}}(?:できません|いたしかねます)"
    rf"|{_SORRY}\W*$)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether an answer begins by declining. "I'm sorry I came late" is a text; "I'm sorry, I can't help" is not."""
    return _REFUSAL.match(text[:_HEAD]) is not None
