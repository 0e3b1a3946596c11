"""The page of the pack."""

from __future__ import annotations

from lab.packs import Listed
from lab.words import N_

PAGES = (
    Listed(
        "query/text2sql",
        "table_chart",
        "Text2SQL",
        N_("from a sentence to rows"),
        {
            "en": ("Text-to-SQL", "NL2SQL", "Natural language to SQL", "Slot filling", "Structured data"),
            "zh": ("自然语言转 SQL", "槽位", "槽位填充", "结构化查询"),
            "LangChain": ("create_sql_query_chain", "SQLDatabase"),
            "LlamaIndex": ("NLSQLTableQueryEngine", "NLSQLRetriever", "SQLTableRetrieverQueryEngine"),
            "RAGFlow": ("sql_retrieval",),
        },
    ),
)
