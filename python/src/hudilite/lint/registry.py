"""All rules by name."""

from __future__ import annotations

from collections.abc import Mapping

from hudilite.lint.calls import unknown_argument, unknown_procedure
from hudilite.lint.case import Rule
from hudilite.lint.facts import fact_set_as_option
from hudilite.lint.keys import key_not_pinned
from hudilite.lint.randomness import non_deterministic_source
from hudilite.lint.removals import unconditional_not_matched_by_source
from hudilite.lint.stars import set_star_schema_gap

RULES: Mapping[str, Rule] = {
    "fact-set-as-option": fact_set_as_option,
    "key-not-pinned": key_not_pinned,
    "non-deterministic-source": non_deterministic_source,
    "set-star-schema-gap": set_star_schema_gap,
    "unconditional-not-matched-by-source": unconditional_not_matched_by_source,
    "unknown-argument": unknown_argument,
    "unknown-procedure": unknown_procedure,
}
