"""The one table of heading words: what a heading announces, in the languages people write decisions in.

Every row reads: kind of section -> language -> the words, in lower case, without numbering, emphasis, emoji or
closing punctuation. To teach memkit a word, add it here; conclusions, tripwires and the importers all read this table.
"""

from __future__ import annotations

from typing import Final

Words = dict[str, tuple[str, ...]]

HEADINGS: Final[dict[str, Words]] = {
    "decision": {
        "en": (
            "decision", "decisions", "the decision", "our decision", "decision outcome", "outcome", "resolution",
            "recommendation", "recommendations", "final recommendation", "recommended decision", "conclusion",
            "conclusions", "verdict", "decision made", "decision taken", "what we decided", "final decision",
            "chosen option", "chosen solution", "selected option", "decision statement", "decision summary",
            "the existing decision", "recommended option",
        ),
        "de": (
            "entscheidung", "entscheidungen", "entscheid", "beschluss", "empfehlung", "empfehlungen", "ergebnis",
            "fazit", "getroffene entscheidung", "entscheidungsergebnis", "gewählte option", "gewählte lösung",
        ),
        "fr": (
            "décision", "décisions", "decision", "la décision", "décision prise", "recommandation",
            "recommandations", "résolution", "option retenue", "solution retenue", "résultat de la décision",
        ),
        "pt": (
            "decisão", "decisões", "a decisão", "decisão tomada", "resultado da decisão", "recomendação",
            "recomendações", "conclusão", "opção escolhida", "solução escolhida", "resolução",
        ),
        "es": (
            "decisión", "decisiones", "la decisión", "decisión tomada", "resultado de la decisión", "recomendación",
            "recomendaciones", "conclusión", "opción elegida", "opción seleccionada", "resolución",
        ),
        "ja": ("決定", "決定事項", "決定内容", "結論", "推奨", "推奨事項", "採用案", "決定結果", "意思決定"),
        "zh": ("决定", "决策", "决策结果", "决策结论", "结论", "建议", "決策", "結論與建議", "決策結果", "建議"),
    },
    "proposal": {
        "en": (
            "proposal", "proposals", "proposed solution", "proposed decision", "proposed approach", "what's proposed",
            "what is proposed", "the proposal",
        ),
        "de": ("vorschlag", "lösungsvorschlag"),
        "fr": ("proposition", "solution proposée"),
        "pt": ("proposta", "solução proposta"),
        "es": ("propuesta", "solución propuesta"),
        "ja": ("提案", "提案内容"),
        "zh": ("提议", "提案", "建议方案", "方案"),
    },
    "tripwires": {
        "en": (
            "tripwire conditions", "tripwire condition", "tripwires", "tripwire", "trip wires", "trip-wires",
            "trip-wire conditions", "conditions that would invalidate this decision", "what would invalidate this",
            "what would change our mind", "what would change this decision", "invalidation conditions",
            "invalidation criteria", "reconsider if", "reconsider when", "when to reconsider", "revisit if",
            "revisit when", "when to revisit", "when to revisit this decision", "revisit conditions",
            "revisit criteria", "revisit triggers", "review triggers", "review conditions", "reversal criteria",
            "reversal conditions", "reopen if", "reopen when", "kill criteria", "exit criteria", "expiry conditions",
            "triggers for review", "triggers for revisiting", "conditions for revisiting", "conditions for review",
        ),
        "de": (
            "stolperdrähte", "stolperdraht", "abbruchbedingungen", "abbruchkriterien", "wann neu entscheiden",
            "neu bewerten wenn", "neu bewerten, wenn", "überprüfen wenn", "überprüfen, wenn",
            "bedingungen für eine neubewertung", "neubewertung", "auslöser für eine überprüfung",
            "wann überprüfen", "wiedervorlage",
        ),
        "fr": (
            "conditions de révision", "conditions d'invalidation", "critères de révision", "à revoir si",
            "à réexaminer si", "réexaminer si", "quand revoir cette décision", "signaux d'alerte",
            "critères d'abandon", "déclencheurs de révision",
        ),
        "pt": (
            "condições de revisão", "condições de invalidação", "critérios de revisão", "rever se", "revisar se",
            "reavaliar se", "quando rever", "quando reavaliar", "gatilhos", "gatilhos de revisão",
        ),
        "es": (
            "condiciones de revisión", "condiciones de invalidación", "criterios de revisión", "revisar si",
            "reconsiderar si", "cuándo revisar", "cuándo reconsiderar", "disparadores", "disparadores de revisión",
        ),
        "ja": ("見直し条件", "見直しの条件", "再検討条件", "再検討の条件", "撤回条件", "再評価条件", "見直しトリガー"),
        "zh": (
            "重新评估条件", "复审条件", "失效条件", "触发条件", "重新考虑的条件", "何时重新评估", "重新評估條件",
            "失效條件", "觸發條件",
        ),
    },
    "status": {
        "en": ("status", "current status", "decision status", "adr status", "record status"),
        "de": ("status", "stand", "zustand"),
        "fr": ("statut", "état", "etat"),
        "pt": ("status", "estado", "situação", "estado da decisão"),
        "es": ("estado", "estatus", "estado de la decisión"),
        "ja": ("ステータス", "状態", "状況"),
        "zh": ("状态", "狀態", "当前状态", "目前狀態"),
    },
    "date": {
        "en": ("date", "decision date", "date of decision", "decided on", "dates"),
        "de": ("datum", "entscheidungsdatum", "beschlussdatum", "datum der entscheidung"),
        "fr": ("date", "date de décision", "date de la décision"),
        "pt": ("data", "data da decisão"),
        "es": ("fecha", "fecha de decisión", "fecha de la decisión"),
        "ja": ("日付", "決定日", "日時"),
        "zh": ("日期", "决定日期", "决策日期", "決策日期"),
    },
    "changelog": {
        "en": (
            "changelog", "change log", "change history", "revision history", "version history", "document history",
            "history", "revisions", "decision history", "status history", "timeline", "log",
        ),
        "de": ("änderungshistorie", "änderungsverlauf", "historie", "verlauf", "änderungen"),
        "fr": ("historique", "historique des modifications", "journal des modifications"),
        "pt": ("histórico", "histórico de alterações", "histórico de revisões"),
        "es": ("historial", "historial de cambios", "registro de cambios"),
        "ja": ("変更履歴", "改訂履歴", "履歴", "更新履歴"),
        "zh": ("变更历史", "修订历史", "变更记录", "更新日志", "變更歷史"),
    },
    "metadata": {
        "en": ("metadata", "meta", "document information", "document info", "info", "record details"),
        "de": ("metadaten", "dokumentinformationen"),
        "fr": ("métadonnées", "informations"),
        "pt": ("metadados",),
        "es": ("metadatos",),
        "ja": ("メタデータ", "メタ情報", "基本情報"),
        "zh": ("元数据", "基本信息", "文档信息", "元資料"),
    },
    "context": {
        "en": (
            "context", "context and problem statement", "problem statement", "problem", "background", "motivation",
            "issue", "context and problem", "problem context", "the problem", "introduction", "summary of the problem",
            "context & problem statement", "forces", "situation",
        ),
        "de": (
            "kontext", "hintergrund", "ausgangslage", "problemstellung", "kontext und problemstellung", "problem",
            "motivation", "ausgangssituation",
        ),
        "fr": ("contexte", "contexte et problème", "contexte et énoncé du problème", "problème", "problématique"),
        "pt": ("contexto", "contexto e problema", "contexto e declaração do problema", "problema", "motivação"),
        "es": ("contexto", "contexto y problema", "contexto y planteamiento del problema", "problema", "antecedentes"),
        "ja": ("背景", "コンテキスト", "コンテクスト", "文脈", "課題", "問題", "背景と課題", "経緯"),
        "zh": ("背景", "上下文", "背景与问题", "问题", "问题描述", "问题陈述", "背景與問題", "問題描述"),
    },
    "drivers": {
        "en": ("decision drivers", "drivers", "decision criteria", "requirements", "constraints", "goals"),
        "de": ("entscheidungstreiber", "entscheidungskriterien", "anforderungen", "einflussfaktoren"),
        "fr": ("facteurs de décision", "critères de décision", "exigences"),
        "pt": ("fatores da decisão", "critérios de decisão", "direcionadores da decisão", "requisitos"),
        "es": ("factores de decisión", "criterios de decisión", "impulsores de la decisión", "requisitos"),
        "ja": ("決定要因", "判断基準", "要件", "決定の要因"),
        "zh": ("决策驱动因素", "决策因素", "需求", "決策因素"),
    },
    "rationale": {
        "en": ("rationale", "reasoning", "why", "justification", "reasons", "decision rationale"),
        "de": ("begründung", "gründe"),
        "fr": ("justification", "raisons", "motifs"),
        "pt": ("justificativa", "razões", "fundamentação"),
        "es": ("justificación", "razones", "fundamento"),
        "ja": ("理由", "根拠", "決定理由"),
        "zh": ("理由", "原因", "依据"),
    },
    "consequences": {
        "en": (
            "consequences", "consequence", "impact", "impacts", "implications", "positive consequences",
            "negative consequences", "results", "trade-offs", "tradeoffs", "risks",
        ),
        "de": ("konsequenzen", "folgen", "auswirkungen", "positive konsequenzen", "negative konsequenzen", "risiken"),
        "fr": ("conséquences", "impact", "impacts", "conséquences positives", "conséquences négatives", "risques"),
        "pt": ("consequências", "impacto", "impactos", "consequências positivas", "consequências negativas", "riscos"),
        "es": ("consecuencias", "impacto", "impactos", "consecuencias positivas", "consecuencias negativas", "riesgos"),
        "ja": ("結果", "影響", "帰結", "影響範囲", "トレードオフ"),
        "zh": ("后果", "影响", "结果", "後果", "影響", "风险"),
    },
    "options": {
        "en": (
            "considered options", "options", "options considered", "alternatives", "alternatives considered",
            "considered alternatives", "alternatives rejected", "rejected alternatives", "possible solutions",
            "pros and cons of the options", "pros and cons", "solutions considered",
        ),
        "de": (
            "optionen", "alternativen", "betrachtete alternativen", "betrachtete optionen", "verworfene alternativen",
            "vor- und nachteile der optionen",
        ),
        "fr": (
            "options", "options envisagées", "options considérées", "alternatives", "alternatives envisagées",
            "solutions envisagées", "avantages et inconvénients des options",
        ),
        "pt": (
            "opções", "opções consideradas", "alternativas", "alternativas consideradas",
            "prós e contras das opções",
        ),
        "es": (
            "opciones", "opciones consideradas", "alternativas", "alternativas consideradas",
            "pros y contras de las opciones",
        ),
        "ja": ("選択肢", "検討した選択肢", "代替案", "却下した代替案", "検討した代替案", "検討事項"),
        "zh": ("备选方案", "选项", "考虑的方案", "考虑的选项", "替代方案", "備選方案", "方案对比"),
    },
    "dissent": {
        "en": (
            "dissent", "dissenting views", "dissenting opinions", "minority positions", "minority position",
            "minority report", "unresolved disputes", "open disputes",
        ),
        "de": ("abweichende meinungen", "minderheitsmeinung", "minderheitspositionen", "offene streitpunkte"),
        "fr": ("désaccords", "opinions dissidentes", "positions minoritaires"),
        "pt": ("divergências", "opiniões divergentes", "posições minoritárias"),
        "es": ("disidencias", "opiniones disidentes", "posiciones minoritarias", "desacuerdos"),
        "ja": ("少数意見", "反対意見", "未解決の論点"),
        "zh": ("少数意见", "异议", "不同意见", "少數意見", "未解决的争议"),
    },
    "links": {
        "en": (
            "links", "related", "related decisions", "related adrs", "related records", "related documents",
            "related documents/links", "related resources", "references", "reference", "see also", "more information",
            "relationships", "relations", "related links", "notes", "note",
        ),
        "de": ("links", "verweise", "referenzen", "verwandte entscheidungen", "siehe auch", "weitere informationen"),
        "fr": ("liens", "références", "décisions liées", "voir aussi", "plus d'informations", "liens connexes"),
        "pt": ("links", "referências", "decisões relacionadas", "veja também", "mais informações", "relacionados"),
        "es": ("enlaces", "referencias", "decisiones relacionadas", "véase también", "más información", "relacionados"),
        "ja": ("リンク", "関連", "関連する決定", "関連adr", "参考", "参考資料", "参照", "補足"),
        "zh": ("链接", "相关链接", "相关决策", "参考", "参考资料", "更多信息", "連結", "參考資料"),
    },
    "supersedes": {
        "en": ("supersedes", "supercedes", "superseedes", "replaces", "supersedes adrs", "obsoletes"),
        "de": ("ersetzt", "löst ab"),
        "fr": ("remplace", "annule et remplace"),
        "pt": ("substitui",),
        "es": ("reemplaza", "reemplaza a", "sustituye", "sustituye a"),
        "ja": ("置き換える決定", "置き換え対象", "廃止する決定"),
        "zh": ("取代", "替代", "替换"),
    },
    "superseded by": {
        "en": ("superseded by", "superceded by", "superseeded by", "replaced by", "obsoleted by", "deprecated by"),
        "de": ("ersetzt durch", "abgelöst durch", "abgelöst von"),
        "fr": ("remplacé par", "remplacée par"),
        "pt": ("substituído por", "substituída por"),
        "es": ("reemplazado por", "reemplazada por", "sustituido por", "sustituida por"),
        "ja": ("置き換え先", "後継", "後継の決定"),
        "zh": ("被取代", "被替代", "取代者"),
    },
    "amends": {
        "en": ("amends", "amend", "modifies"),
        "de": ("ändert",),
        "fr": ("modifie", "amende"),
        "pt": ("altera", "emenda"),
        "es": ("modifica", "enmienda"),
        "ja": ("修正する決定", "改訂する決定"),
        "zh": ("修订", "修改"),
    },
    "amended by": {
        "en": ("amended by", "modified by"),
        "de": ("geändert durch",),
        "fr": ("modifié par", "modifiée par", "amendé par"),
        "pt": ("alterado por", "alterada por", "emendado por"),
        "es": ("modificado por", "modificada por", "enmendado por"),
        "ja": ("修正元", "改訂元"),
        "zh": ("被修订", "被修改"),
    },
    "extends": {"en": ("extends", "builds on", "depends on", "refines"), "de": ("erweitert", "baut auf")},
    "extended by": {"en": ("extended by", "refined by"), "de": ("erweitert durch",)},
    "read when": {
        "en": ("read when", "when to read", "when to read this", "read this when", "read this if", "applies when"),
        "de": ("wann lesen", "lesen wenn", "lesen, wenn"),
        "fr": ("à lire quand", "quand lire", "à lire si"),
        "pt": ("ler quando", "quando ler"),
        "es": ("leer cuando", "cuándo leer"),
        "ja": ("読むべきとき", "いつ読むか"),
        "zh": ("何时阅读", "阅读时机", "何時閱讀"),
    },
    "deciders": {
        "en": ("deciders", "decision makers", "decision-makers", "participants", "approvers", "authors", "author"),
        "de": ("entscheider", "beteiligte", "entscheidungsträger", "autor"),
        "fr": ("décideurs", "participants", "auteur", "auteurs"),
        "pt": ("decisores", "participantes", "autor", "autores"),
        "es": ("decisores", "participantes", "autor", "autores"),
        "ja": ("決定者", "意思決定者", "著者", "作成者"),
        "zh": ("决策者", "参与者", "作者", "決策者"),
    },
}  # fmt: skip
