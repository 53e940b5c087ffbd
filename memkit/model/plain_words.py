"""Words that stand in any text, English and German; they bring nothing to mind."""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
about after again against almost alone along already also although always among another any anybody anything
because been before behind being below better between both cannot could does done down during each either else
enough even ever every everybody everything first from have having here however into itself just keep kept
last later least less made make many might more most much must need needs never next nobody none nothing often
once only other others over perhaps rather same several shall should since some somebody something soon still
such take than that their them then there these they thing things this those though through together toward
twice under until upon very well were what when where whether which while whole will with within without would
your
aber alle alles andere anderen auch bevor beim bereits damit dann dass dazu deshalb dessen diese diesem diesen
dieser dieses doch dort durch eine einem einen einer eines einmal erst etwas ganz gegen haben hatte immer jede
jedem jeden jeder jedes jedoch kann kein keine keinem keinen keiner können lassen machen mehr müssen nach
nachdem nicht nichts niemals noch oder ohne schon sein seine seit sich sind soll sollen sollte sondern sonst
über unter viele vom von vorher wann warum weil weiter wenn werden wieder wird wurde wurden zwischen
"""
IN_ANY_TEXT: Final = frozenset(_WORDS.split())
