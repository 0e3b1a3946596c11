"""Full stops that end no sentence: behind abbreviations, initials and the numbers of items.

A pattern decides, so that every user of `lab.text.borders.SENTENCE_END` decides alike.  It looks at the word before the
full stop and at what follows it.  The words come from Unicode's suppression lists (CLDR) that are not English words
as well, the short forms of months and days, and the usual ones of papers and firms.
Source: rule SB8 of Unicode Standard Annex 29; T. Kiss and J. Strunk, *Unsupervised Multilingual Sentence Boundary
Detection*, 2006 (after an initial, only a word that often begins sentences begins one), doi:10.1162/coli.2006.32.4.485.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lab.text.word_lists import MONTH_NAMES, WEEKDAYS
from lab.text.writing import HAN

_TITLES = """Mr Mrs Ms Mx Dr Drs Prof Rev Fr Hon Gen Col Cpt Capt Cmdr Lt Sgt Cpl Maj Adm Sen Gov Rep Pres Messrs Mme
Mlle Mt Ft vs v cf viz esp incl excl approx appx ca e.g i.e resp E.g I.e Cf em"""
"""Always before what they belong to."""
_NUMBERED = """Fig Figs Eq Eqs Eqn Eqns Sec Secs Sect Ch Chap Chaps Vol Vols App Appx Tab Ref Refs Art Arts Par Para
Paras Pt Pts Bd Div Cl Ex Exs Prop Thm Def Cor Alg Pl Rm Bldg Fl No Nos"""
"""Before the number or the letter of a part."""
_OTHERS = """no nos fig figs eq eqs eqn eqns sec secs sect ch chap chaps vol vols app ref refs para paras art p pp P
Pp pg pgs ed eds trans repr rev ser nr Nr Tel tel ext Ext max min Max Min avg Avg temp Temp est Est dept Dept div univ
Univ inst Inst assoc Assoc dist govt Govt Inc Ltd Co Corp Bros LLC Llc Cie Pty Jr Sr Esq etc Etc al ibid hrs hr mins
sec secs yr yrs lb lbs oz mi yd yds sq qty num misc orig fl b c d ff ad abbr cont dim dia diam wt ht vol tbsp tsp a.m
p.m A.M P.M ft Ver ver"""
"""Before a number, a bracket or a small letter; a capital begins a sentence."""
_PLACES = """Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun St Ave Blvd
Rd Sq Hwy Ph al Mass Calif Conn Fla Ill Mich Minn Penn Tenn Tex Va Wash Wis Ariz Colo Ga Ky La Md Ore Okla"""
"""Before a capital, too, unless the word often begins sentences: Jan. Meyer, St. Gallen, but “in Jan. The shop …”."""
_WITH_LETTER = """vitamin hepatitis influenza plan option type group class grade section appendix figure table part
exhibit room gate building block zone line team terminal platform category level version model series size phase point
drive hall wing lot box step case chapter annex schedule unit answer variant layer tier candidate company product"""
"""Before a single letter that is no initial: vitamin C."""
_STARTERS = """A An The This That These Those It Its He His She Her They Their We Our You Your My There Here In On At
For From By With Within Without After Before Since Until Till When While Where Who Whose What Which Why How If
Although Though Because But And Or Nor So Then Thus However Therefore Moreover Instead Also As Is Are Was Were Be Do
Does Did Can Could Will Would Should May Must Please All Some Many Most Much More Few Each Every Either Neither Both
Not No None Nobody Everybody Everyone Someone Anyone One Two Three Another Other Others Any Such To Of Once Only Still
Yet Now Today Tomorrow Yesterday Later Never Always Often Sometimes Even Just Let Use See Read Take Put Ask Check
Under Over Between During Through Per Unless Despite Nothing Something Everything Somebody Anything Whether Whoever
Nowadays Finally First"""
_CHAPTERS = "vol vols ch chap sec sect fig no pt art bk Vol Ch Sec Fig No Pt Art Bk Chap Sect"
"""Before a Roman number, too."""
_ZONES = "Eastern Pacific Central Mountain Greenwich local sharp"


def _behind(words: Iterable[str], before: str = rf"(?<![^\W{HAN}])", after: str = "") -> str:
    """Returns a pattern for any of these words before the full stop; a look-behind has one width, so one per length."""
    by_length = defaultdict[int, list[str]](list)
    for word in dict.fromkeys(words):
        by_length[len(word)].append(word.replace(".", r"\."))
    return "|".join(rf"(?<={before}(?:{'|'.join(some)}){after}\.)" for _, some in sorted(by_length.items()))


def full_stop(closing: str, *, small_letters: bool = True) -> str:
    """Returns the pattern of a full stop that ends a sentence, followed by these closing marks.

    Without ``small_letters`` a small letter may begin a sentence, as in a text without capitals.
    """
    gap = r"[^\S\n]+"
    capital = "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f]"
    small = "[a-z\u00df-\u00f6\u00f8-\u00ff\u03b1-\u03c9\u0430-\u044f](?![A-Z.)])"  # neither iPhone nor the item b.
    opening = "[\"“‘«'(\\[]*"
    starter = rf"(?:{'|'.join(_STARTERS.split())})(?![\w'’.-])"
    continued = rf"{opening}{small}|[,;:&+=%/)\]–—]" if small_letters else r"[,;:&+=%/)\]–—]"
    zone = "|".join([*_ZONES.split(), MONTH_NAMES.title(), WEEKDAYS.title(), "[A-Z]{2,4}"])
    initial = rf"(?:(?<=(?<![^\W{HAN}])[A-Z]\.)(?!{_behind(_WITH_LETTER.split(), '', ' [A-Z]')}))"
    others = _behind(f"{_OTHERS} {_NUMBERED} {_PLACES}".split())
    before_items = ("^", "[!?:;。；！？] ", r"[a-z]{4}\. ")
    items = [rf"(?<={before}{n}\.)" for before in before_items for n in (r"\d", r"\d\d", "[A-Za-z]")]
    no_ends = (
        rf"(?=[{closing}]*{gap}(?:{continued}))",
        rf"(?={gap})(?:{_behind(_TITLES.split())})",
        rf"(?={gap}[^\n])(?m:{'|'.join(items)}|(?<=[。；！？：]\d\.))",
        rf"(?={gap}(?![\"“‘«]*{capital})[^\n])(?:{others}|{initial})",
        rf"(?={gap}{capital}(?![\w’']))(?:{_behind(_NUMBERED.split())})",
        rf"(?={gap}[IVXLC]+(?![\w’']))(?:{_behind(_CHAPTERS.split())})",
        rf"(?={gap}[\"“‘«]?(?!{starter}){capital})(?:{_behind(_PLACES.split())}|{initial})",
        rf"(?={gap}(?:{zone})\b)(?<=\b[AaPp]\.[Mm]\.)",
        rf"(?={gap}(?:[A-Z]{{2,}}|Inc|Ltd|Corp|KG|Co)\b)(?:{_behind(['Inc', 'Ltd', 'Co', 'Corp', 'Bros'])})",
    )
    # each looks first at what follows, so that the words before are only compared at the end of a word
    return rf"\.(?=[{closing}]*(?:\s|$)){''.join(f'(?!{some})' for some in no_ends)}[{closing}]*+"
