"""Units as data: spellings, dimensions and factors. `units` reads them; nothing here computes.

A factor leads to the base of its dimension. Units of one dimension convert into each other and into nothing else.
Currencies are a dimension each: no rate of exchange is ever assumed. kB and MB are powers of 1000, KiB and MiB of 1024.
"""

from __future__ import annotations

from typing import Final


def _words(text: str, between: str | None = None) -> list[str]:
    return text.split(between)


# symbol -> (dimension, factor to the base, other spellings between commas); compared casefolded unless in `CASED`.
UNITS: Final[dict[str, tuple[str, float, str]]] = {
    # part of a whole; base: per cent
    "%": (
        "share",
        1.0,
        ("percent, per cent, pct, prozent, v.h., pour cent, pourcent, por ciento, por cento"),
    ),
    "‰": ("share", 0.1, "per mille, permille, promille, pour mille, por mil"),
    "ratio": ("share", 100.0, "fraction, anteil"),
    # time; base: second
    "ns": ("time", 1e-09, "nanosecond, nanoseconds"),
    "µs": ("time", 1e-06, "us, usec, microsecond, microseconds, μs"),
    "ms": (
        "time",
        0.001,
        (
            "msec, millis, millisecond, milliseconds, millisekunde, millisekunden, "
            "milliseconde, millisecondes, milisegundo, milisegundos, ミリ秒, 毫秒"
        ),
    ),
    "s": (
        "time",
        1.0,
        (
            "sec, secs, second, seconds, sek, sekunde, sekunden, seconde, secondes, segundo, "
            "segundos, 秒, 秒間, 秒钟, 秒鐘"
        ),
    ),
    "min": ("time", 60.0, "mins, minute, minutes, minuten, minuto, minutos, 分, 分間, 分钟, 分鐘"),
    "h": (
        "time",
        3600.0,
        ("hr, hrs, hour, hours, std, stunde, stunden, heure, heures, hora, horas, 時間, 小时, 小時"),
    ),
    "days": ("time", 86400.0, "d, day, tag, tage, tagen, jour, jours, día, días, dia, dias, 日, 日間, 天"),
    "weeks": (
        "time",
        604800.0,
        ("w, wk, wks, week, woche, wochen, semaine, semaines, semana, semanas, 週, 週間, 周, 星期"),
    ),
    # calendar time has no length in seconds; base: month
    "months": (
        "calendar",
        1.0,
        ("month, monat, monate, monaten, mois, mes, meses, mês, か月, ヶ月, カ月, ヵ月, 月, 个月, 個月"),
    ),
    "quarters": (
        "calendar",
        3.0,
        ("quarter, quartal, quartale, quartalen, trimestre, trimestres, 四半期, 季度"),
    ),
    "years": (
        "calendar",
        12.0,
        ("year, yr, yrs, jahr, jahre, jahren, an, ans, année, années, año, años, ano, anos, 年, 年間"),
    ),
    # data; base: byte
    "bit": ("data", 0.125, "bits"),
    "kbit": ("data", 125.0, "kbits, kilobit, kilobits"),
    "Mbit": ("data", 125000.0, "mbits, megabit, megabits"),
    "Gbit": ("data", 125000000.0, "gbits, gigabit, gigabits"),
    "B": ("data", 1.0, "byte, bytes, octet, octets"),
    "kB": ("data", 1000.0, "kb, kbyte, kilobyte, kilobytes"),
    "MB": ("data", 1000000.0, "mb, mbyte, megabyte, megabytes, Mo"),
    "GB": ("data", 1000000000.0, "gb, gbyte, gigabyte, gigabytes, Go"),
    "TB": ("data", 1000000000000.0, "tb, tbyte, terabyte, terabytes"),
    "PB": ("data", 1000000000000000.0, "pb, petabyte, petabytes"),
    "KiB": ("data", 1024.0, "kib, kibibyte, kibibytes"),
    "MiB": ("data", 1024.0**2, "mib, mebibyte, mebibytes"),
    "GiB": ("data", 1024.0**3, "gib, gibibyte, gibibytes"),
    "TiB": ("data", 1024.0**4, "tib, tebibyte, tebibytes"),
    # money
    "$": ("money $", 1.0, "usd, us$, dollar, dollars, 美元, 美金"),
    "€": ("money €", 1.0, "eur, euro, euros, ユーロ, 欧元"),
    "£": ("money £", 1.0, "gbp, pound, pounds"),
    "¥": ("money ¥", 1.0, ""),
    "JPY": ("money JPY", 1.0, "yen, 円"),
    "CNY": ("money CNY", 1.0, "rmb, 元, 人民币, 人民幣"),
    "CHF": ("money CHF", 1.0, "franken"),
    "BRL": ("money BRL", 1.0, "r$, reais"),
    "₹": ("money ₹", 1.0, "inr, rupees"),
    # electricity, heat, weight, distance
    "mV": ("voltage", 0.001, "millivolt, millivolts"),
    "V": ("voltage", 1.0, "volt, volts"),
    "kV": ("voltage", 1000.0, "kilovolt, kilovolts"),
    "W": ("power", 1.0, "watt, watts"),
    "kW": ("power", 1000.0, "kilowatt, kilowatts"),
    "Wh": ("energy", 1.0, ""),
    "kWh": ("energy", 1000.0, ""),
    "°C": ("temperature", 1.0, "celsius"),
    "kg": ("mass", 1000.0, "kilogram, kilograms"),
    "km": ("distance", 1000.0, "kilometre, kilometres, kilometer, kilometers"),
    # versions compare part by part and have no factor
    "version": ("version", 1.0, "release"),
}

# Spellings of which the case decides, or that could mean two things: reading them any way would be a guess.
AMBIGUOUS: Final[dict[str, str]] = {
    "m": "“m” can be minutes, months, metres or millions",
    "Gb": "“Gb” can be gigabits or gigabytes",
    "Mb": "“Mb” can be megabits or megabytes",
    "Kb": "“Kb” can be kilobits or kilobytes",
    "Tb": "“Tb” can be terabits or terabytes",
}
# A capital alone is something else: W is no week, D no day.
CASED: Final = frozenset({"W", "V", "B", "d", "w", "h", "s", "Mo", "Go"})

# Periods of rates: symbol -> spellings after "/", "per", "a". Rates over different periods do not convert: a day above
# its limit says nothing about the week.
PERIODS: Final[dict[str, tuple[str, ...]]] = {
    "s": ("s", "sec", "second", "sekunde", "seconde", "segundo", "秒"),
    "min": ("min", "minute", "minuto", "分", "分钟", "分鐘"),
    "h": ("h", "hr", "hour", "std", "stunde", "heure", "hora", "時間", "小时", "小時"),
    "day": ("d", "day", "tag", "jour", "día", "dia", "日", "天"),
    "week": ("w", "wk", "week", "woche", "semaine", "semana", "週", "周"),
    "month": ("mo", "month", "monat", "mois", "mes", "mês", "月"),
    "quarter": ("q", "quarter", "quartal", "trimestre", "四半期", "季度"),
    "year": ("y", "yr", "year", "jahr", "an", "année", "año", "ano", "年"),
}
# Seconds of a period; months and longer have none.
PERIOD_SECONDS: Final[dict[str, int]] = {"s": 1, "min": 60, "h": 3600, "day": 86_400, "week": 604_800}
PERIOD_MONTHS: Final[dict[str, int]] = {"month": 1, "quarter": 3, "year": 12}
# Words that are a rate by themselves.
RATES: Final[dict[str, tuple[str, str]]] = {
    "qps": ("", "s"),
    "rps": ("", "s"),
    "tps": ("", "s"),
    "iops": ("", "s"),
    "rpm": ("", "min"),
    "kbps": ("kbit", "s"),
    "mbps": ("Mbit", "s"),
    "gbps": ("Gbit", "s"),
}
# Adverbs that are a period: "$900 monthly".
ADVERBS: Final[dict[str, str]] = {
    "hourly": "h",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "stündlich": "h",
    "täglich": "day",
    "wöchentlich": "week",
    "monatlich": "month",
    "jährlich": "year",
}
# Nouns one counts, singular to plural. A noun compares with itself and with no unit at all.
_PLURALS = (
    "person people, engineer engineers, developer developers, user users, customer customers, client clients, "
    "tenant tenants, request requests, query queries, event events, message messages, row rows, record records, "
    "write writes, read reads, error errors, failure failures, incident incidents, ticket tickets, page pages, "
    "deploy deploys, deployment deployments, service services, team teams, endpoint endpoints, node nodes, "
    "shard shards, replica replicas, connection connections, table tables, job jobs, file files, order orders, "
    "time times, entwickler entwickler, mitarbeiter mitarbeiter, kunde kunden, nutzer nutzer, anfrage anfragen, "
    "fehler fehler, fall fälle, personne personnes, requête requêtes, erreur erreurs, persona personas, "
    "ingeniero ingenieros, solicitud solicitudes, pessoa pessoas, engenheiro engenheiros, "
    "人 人, 名 名, 件 件, 台 台, 回 回, 個 個, 个 个, 次 次"
)
NOUNS: Final[dict[str, str]] = {pair.partition(" ")[0]: pair.partition(" ")[2] for pair in _words(_PLURALS, ", ")}
# Words that end like a plural and are none: they would restrict when the condition counts.
NO_NOUNS: Final = frozenset(
    _words(
        "always sometimes afterwards nowadays overseas unless as is was has this less its business us across besides "
        "towards perhaps plus minus weekdays weekends nights mornings evenings mondays tuesdays wednesdays thursdays "
        "fridays saturdays sundays days hours minutes seconds weeks months years"
    )
)
