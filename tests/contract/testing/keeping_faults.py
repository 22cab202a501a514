"""Faults about what lies between two questions: file, what stands there, what is made of it, which rules see it."""

ASKS = "answer = await self._session.get(url, headers=headers())"

KEEPING: dict[str, tuple[str, str, str, set[str]]] = {
    "it answers from memory": (
        "marketplace.py",
        ASKS,
        (
            f"answer = vars(self).setdefault('known', {{}}).get(url)\n        if not answer:\n            {ASKS}\n"
            "            self.known[url] = answer"
        ),
        {"test_a_connection_asks_every_time"},
    ),
    "it keeps what it was answered": (
        "marketplace.py",
        ASKS,
        f"{ASKS}\n        connect.__dict__.setdefault('all', []).append(answer)",
        {"test_it_keeps_no_answer"},
    ),
    "it tries again when nobody answers": (
        "marketplace.py",
        ASKS,
        f"try:\n            {ASKS}\n        except Exception:\n            {ASKS}",
        {"test_what_the_session_raises_comes_out_as_it_is"},
    ),
    "no answer is nothing found": (
        "marketplace.py",
        ASKS,
        f"try:\n            {ASKS}\n        except Exception:\n            return SearchPage(sightings=())",
        {"test_what_the_session_raises_comes_out_as_it_is"},
    ),
    "it follows a redirect": (
        "marketplace.py",
        ASKS,
        f"{ASKS}\n        if answer.status == 302:\n            url = answer.headers['location']\n            {ASKS}",
        {"test_it_asks_at_most_once_more_with_a_new_proof"},
    ),
    "it parses where others wait": (
        "marketplace.py",
        "return await self._session.read(reader, answer)",
        "return reader(answer)",
        {"test_it_reads_by_the_session"},
    ),
    "what has no time is new": (
        "parse.py",
        "sightings = tuple(each for",
        (
            "from dataclasses import replace\n\n"
            "    read = [replace(each, created=now) if isinstance(each, Sighting) else each for each in read]\n"
            "    sightings = tuple(each for"
        ),
        {"test_the_time_of_reading_gets_into_nothing"},
    ),
    "it looks at the clock": (
        "parse.py",
        "created=_time(row",
        "extra={'seen': datetime.now(UTC).strftime('%Y')},\n        created=_time(row",
        {"test_the_time_of_reading_gets_into_nothing"},
    ),
    "times are those of the machine": (
        "parse.py",
        "datetime.fromtimestamp(seconds, UTC)",
        "datetime(2026, 5, 1, 10).astimezone(UTC)",
        {"test_another_process_reads_the_same"},
    ),
    "what was read before fills gaps": (
        "parse.py",
        '_text(row.get("description"))',
        'vars(_text).setdefault(external_id, _text(row.get("description")))',
        {"test_another_process_reads_the_same"},
    ),
    "it sets the locale": (
        "parse.py",
        "class _Unreadable",
        "__import__('locale').setlocale(__import__('locale').LC_TIME, 'C')\n\n\nclass _Unreadable",
        {"test_it_loads_without_touching_anything"},
    ),
    "a keyword is not escaped": (
        "ask.py",
        "{urlencode(pairs)}",
        "{urlencode(pairs[1:])}&q={criteria.keyword}",
        {"test_a_keyword_is_asked_as_it_is"},
    ),
    "a question is put in order where it stands": (
        "ask.py",
        "    pairs = [",
        "    object.__setattr__(criteria, 'keyword', criteria.keyword + ' x')\n    pairs = [",
        {"test_it_leaves_a_question_as_it_is"},
    ),
}
