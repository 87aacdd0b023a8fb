"""The pages about all kinds of complaints: what each means, how to get it, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from symdmc.errors.codes import Code
from symdmc.report.complaints import evidence, files, models, names, options, predicates
from symdmc.report.complaints.page import Page

SECTIONS: Mapping[str, tuple[Page, ...]] = {
    "Files": files.PAGES,
    "Expressions and names": names.PAGES,
    "Models": models.PAGES,
    "Questions and options": options.PAGES,
    "Predicates, classes, states and edges": predicates.PAGES,
    "Traces, certificates and databases": evidence.PAGES,
}
PAGES: Mapping[Code, Page] = {page.code: page for pages in SECTIONS.values() for page in pages}
