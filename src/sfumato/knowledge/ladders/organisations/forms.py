"""Legal forms at the end of a company's name, and what they tell."""

from __future__ import annotations

import re

_FORMS = {
    "company": "Ltd;Limited;LLC;L.L.C.;LLP;PLC;plc;Inc;Incorporated;Corp;Co;Pty Ltd;Pvt Ltd;S.A.;SA;S.A.U.;S.L.;S.L.U.;"
    "SLU;S.R.L.;SRL;S.r.l.;Srl;S.p.A.;SpA;S.n.c.;S.a.s.;SARL;S.A.R.L.;SAS;SASU;EURL;SNC;Lda;Ltda;B.V.;BV;N.V.;NV;VOF;AG;KG;"
    "A/S;ApS;AB;ASA;AS;SE;GmbH & Co. KG;& Co;& Co KG;Bhd;Sdn Bhd;S.C.A.;EOOD;OOD;EAD;AD;TOV",
    "company in a German-speaking country": "GmbH;mbH;OHG;gGmbH",
    "company in Poland": "Sp. z o.o.;sp. z o. o.;z o.o.;sp.k.",
    "company in Hungary": "Kft;Zrt;Nyrt;Bt",
    "company in Finland": "Oy;Oyj;Oy Ab",
    "company in Central Europe": "s.r.o.;s. r. o.",
    "company in Western Asia": "A.Ş.;Ltd. Şti.;Ltd Şti;A. Ş.",
    "company in a former Yugoslav country": "d.o.o.;d.d.;DOO",
    "company in a former Soviet country": "OOO;ZAO;OAO;PAO",
    "registered association": "e.V.;e. V.",
}
_FORM_OF = {form.replace(".", ""): kind for kind, forms in _FORMS.items() for form in forms.split(";")}
_LEGAL = re.compile(
    r"[\s,]+(?P<form>"
    + "|".join(
        re.escape(form).replace(r"\.", r"\.?")
        for form in sorted((form for forms in _FORMS.values() for form in forms.split(";")), key=len, reverse=True)
    )
    + r")\.?$"
)


def without_form(phrase: str) -> str:
    """A name without its legal form: "Siemens" for "Siemens AG"."""
    return _LEGAL.sub("", phrase)


def legal_form(phrase: str) -> tuple[str, str] | None:
    """The kind that the legal form tells, and the form; None where the phrase has none."""
    found = _LEGAL.search(phrase)
    return (_FORM_OF[found["form"].replace(".", "")], found["form"]) if found and phrase[0].isalnum() else None
