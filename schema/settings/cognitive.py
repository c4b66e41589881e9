"""The settings of memory itself: the table `[cognitive]` and the tables in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from ..errors import InvalidInput
from ..language import LanguageChoice
from ..scope import LayerRule, PublicLayer, notes_scope
from ..times import check_timezone
from .section import Seconds, Section, hot

Weight = Annotated[float, Field(ge=0, le=1)]
TopK = Annotated[int, Field(ge=1, le=500)]
Slot = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=40, pattern=r"^[^\n\r]+$"),
]
ChapterTokens = Annotated[int, Field(ge=60, le=20_000)]


class QuerySettings(Section):
    auto_top_k: TopK = hot(3)
    """每次回复前至少召回的条数
    minimum number of records recalled before each reply"""
    auto_max_k: TopK = hot(40)
    """每次回复前至多召回的条数
    maximum number of records recalled before each reply"""
    tool_default_top_k: TopK = hot(12)
    """工具搜索默认返回的条数
    number of records that a search tool returns by default"""
    profile_top_k: TopK = hot(8)
    """画像搜索返回的条数
    number of profiles that a profile search returns"""
    rerank_candidate_multiplier: Annotated[int, Field(ge=1, le=50)] = hot(3)
    """重排候选数 = 条数 × 此值
    number of candidates for the reranker = top_k times this"""
    vector_weight: Weight = hot(0.6)
    """融合时向量分数的权重
    weight of the vector score in the fusion"""
    keyword_weight: Weight = hot(0.4)
    """融合时关键词分数的权重
    weight of the keyword score in the fusion"""
    fusion: Literal["weighted", "rrf"] = hot("weighted")
    """融合方法：weighted 加权和，rrf 倒数排名
    fusion: weighted sum, or reciprocal rank (rrf)"""
    time_decay_half_life_days_tools: Annotated[float, Field(gt=0)] = hot(60.0)
    """工具搜索的时间半衰期（天）
    half-life in days for searches by tools"""
    time_decay_half_life_days_auto: Annotated[float, Field(gt=0)] = hot(14.0)
    """自动召回的时间半衰期（天）
    half-life in days for automatic recall"""
    # LoCoMo turns by keywords, 760 questions, R@10: 72.6 % without it, 72.7 % with 0.05, 72.1 % with 0.1, 71.3 % with 0.2.
    time_decay_boost: Weight = hot(0.05)
    """新近记录最多加分的比例
    largest share that is added to the score of a fresh record"""
    diversity_lambda: Weight = hot(0.7)
    """多样性：1 只看相关度，0 只看差异
    diversity: 1 is relevance alone, 0 novelty alone"""
    vector_centering: bool = hot(True)
    """向量按会话的均值居中后再比较（小模型的向量挤在一处，居中后更分得开）
    subtract the mean vector of the scope before vectors are compared (those of small models lie close together)"""
    neighbour_weight: Weight = hot(0.2)
    """时间上相邻的记录互相抬升的比例；再隔一条减半；0 关闭
    share of its score that a record adds to the next one in time, and half of it to the one after that; 0: off"""
    neighbour_minutes: Annotated[float, Field(ge=0, le=10_080)] = hot(30.0)
    """相隔多少分钟以内算相邻
    minutes between two records within which they are neighbours"""
    name_weight: Weight = hot(0.2)
    """问题里点名的人，其记录的得分提高的比例
    share by which the score of a record rises if the query names its person"""
    date_weight: Weight = hot(0.4)
    """问题里提到的日期或月份，当时的记录加多少分
    amount added to the score of records of a day or month that the query names"""
    pending_limit: Annotated[int, Field(ge=0, le=50)] = hot(5)
    """尚未归档的内容最多提供几条
    maximum number of records from jobs that are not filed yet"""
    query_cache_size: Annotated[int, Field(ge=0, le=100_000)] = hot(512)
    """缓存多少条查询的向量
    number of query embeddings in the cache"""
    query_cache_seconds: Seconds = hot(600.0)
    """查询向量缓存多久（秒）
    seconds for which a query embedding is cached"""
    scope_cache_megabytes: Annotated[int, Field(ge=1, le=65_536)] = hot(256)
    """各会话的向量、词和原文最多占多少内存（MB）
    megabytes of memory for the vectors, words and texts of scopes"""
    admin_user_ids: list[str] = hot(default_factory=list)
    """这些用户在私聊里可用工具搜索所有会话（管理员）
    users whose search tool, in their private chats, sees every conversation (administrators)"""
    recall_timeout_seconds: Literal["auto"] | Annotated[float, Field(gt=0, le=60)] = hot("auto")
    """召回时限（秒）；auto：本地向量 0.15，远程 0.8
    time limit of a recall in seconds; auto: 0.15 with a local embedder or none, 0.8 with a remote one"""
    max_context_tokens: Annotated[int, Field(ge=50, le=100_000)] = hot(800)
    """放入提示词的记忆最多多少 token
    maximum tokens of memory put into a prompt"""
    relevant_max_tokens: Annotated[int, Field(ge=50, le=100_000)] = hot(3000)
    """文章与最近摘要一次最多取多少 token
    maximum tokens of the article and the newest summaries when they are requested"""
    own_words_from_groups: bool = hot(False)
    """私聊时也召回同一用户自己在群里说的事（只限本人的话，标明群名）
    in private chats also recall what the same user told in groups (their own words alone, marked with the group's name)"""
    include_chapters: bool = hot(True)
    """私聊时附上文章，没有文章时附上最近的摘要
    add the long-term article in private chats, or without one the newest summaries"""


class HistorianSettings(Section):
    rewrite_mode: Literal["always", "auto", "rules"] = "auto"
    """改写方式：auto 在规则不够时用模型，always 总用模型，rules 只用规则
    rewriting: auto asks the model where rules are not enough, always asks it for every text, rules never asks it"""
    gate_pronouns: Literal["orphan", "all"] = "orphan"
    """第三人称代词：orphan 只拦无先行词的，all 全拦
    third-person pronouns: orphan refuses those without an antecedent, all refuses every one"""
    rewrite_max_retry: Annotated[int, Field(ge=0, le=10)] = hot(1)
    """闸门不通过时最多重写几次
    maximum number of rewrites of a text that the gate refuses"""
    redact_jobs: Literal["secrets", "all", "none"] = "secrets"
    """任务入队前的脱敏：secrets 密钥，all 再加个人信息，none 不做
    redaction of jobs when accepted: secrets, all (personal data too), none"""
    poll_interval_seconds: Seconds = hot(1.0)
    """后台查看队列的间隔（秒）
    seconds between checks of the queue"""
    stale_job_timeout_seconds: Seconds = 300.0
    """失主任务多久后收回（秒）
    seconds after which the jobs of an owner that has disappeared are taken back"""
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    """同时处理的任务数
    number of jobs processed concurrently"""


class ProfileSettings(Section):
    revision_keep: Annotated[int, Field(ge=0, le=1000)] = 5
    """画像保留多少个旧版本
    earlier revisions kept of a profile"""
    profile_layers: LayerRule = "private_separate"
    """画像分层：private_separate 私聊所知只在私聊可见，per_group 各群分开，shared 不分
    layers of a profile: private_separate (learnt in private is read in private), per_group, shared"""
    public_layer: PublicLayer = hot("where_spoken")
    """画像公开层在哪里读：where_spoken 只在本人说过话的会话，everywhere 所有会话
    where the public layer is read: where_spoken (in conversations in which the person has spoken), everywhere"""
    slots: Annotated[list[Slot], Field(max_length=20)] = hot(default_factory=list)
    """希望画像里有的项，如 ["生日", "时区"]，至多 20 项；给模型看，用户讲到了就记下
    lines that the profile of a user should have, such as ["birthday", "time zone"], 20 at most: shown to the model, which writes
    them when the user tells"""
    merge_after_seconds: Annotated[float, Field(ge=0, le=86_400)] = hot(60.0)
    """有模型时，新事实等同一会话的其他事实一起写入画像的秒数；0 表示立即
    seconds that new facts wait, with a model, for others of their conversation before profiles are merged; 0: at once"""
    merge_after_facts: Annotated[int, Field(ge=1, le=1000)] = hot(12)
    """一个会话积累多少条新事实就不再等待
    number of new facts of a conversation after which they are merged at once"""


class QueueSettings(Section):
    job_max_retries: Annotated[int, Field(ge=0, le=100)] = 3
    """任务自身出错时最多重试几次
    maximum number of retries of a job that fails for its own reasons"""
    failed_max_age_days: Annotated[float, Field(gt=0)] = 30.0
    """失败任务保留多少天
    days for which a failed job is kept"""
    failed_max_files: Annotated[int, Field(ge=1)] = 500
    """最多保留多少个失败任务
    maximum number of failed jobs kept"""
    failed_cleanup_interval: Annotated[int, Field(ge=0)] = 100
    """每多少个空闲轮清理一次失败任务；0 从不
    idle rounds between clean-ups of failed jobs; 0 is never"""


class ShorttermSettings(Section):
    summary_token_threshold: Annotated[int, Field(ge=10)] = 80_000
    """对话累计多少 token 后压缩成摘要；没有模型时最多 500
    tokens of conversation after which it is summarised; without a model at most 500"""
    record_token_threshold: Annotated[int, Field(ge=10)] = 3_000
    """归档的记录累计多少 token 后压缩成摘要；它们已是浓缩的
    tokens of filed records after which they are summarised; they are condensed already"""
    max_tokens: Annotated[int, Field(ge=100)] = 12_000
    """全部短期摘要最多多少 token；没有模型时最旧的先离开
    maximum tokens of all short-term summaries; without a model the oldest are dropped"""
    promote_above: Annotated[int, Field(ge=1)] = 20
    """摘要超过多少条，最旧的由模型并入文章
    number of summaries above which a model merges the oldest into the article"""
    promote_count: Annotated[int, Field(ge=1)] = 5
    """每次晋升最旧的几条
    number of summaries merged at a time"""
    feed_from_jobs: bool = hot(True)
    """归档的记录也进入短期层
    records that were filed enter the short-term layer as well"""
    bedrock_max_tokens: ChapterTokens = 600
    """文章“基石”最多多少 token
    maximum tokens of the chapter Bedrock"""
    evolutionary_max_tokens: ChapterTokens = 600
    """文章“演进”最多多少 token
    maximum tokens of the chapter Evolutionary"""
    dynamic_max_tokens: ChapterTokens = 600
    """文章“近况”最多多少 token
    maximum tokens of the chapter Dynamic"""
    reconstruct_max_retry: Annotated[int, Field(ge=0, le=10)] = 2
    """文章的条目不合格时最多再问几次
    how often the model is asked again about refused lines of an article"""
    revision_keep: Annotated[int, Field(ge=0, le=1000)] = 5
    """文章保留多少个旧版本
    earlier revisions kept of an article"""


class ObservationSettings(Section):
    queue_max: Annotated[int, Field(ge=1)] = 1000
    """观察队列的容量
    capacity of the observation queue"""
    chunk_max_tokens: Annotated[int, Field(ge=16, le=8192)] = 256
    """每块最多多少 token
    maximum tokens in a chunk"""
    summary_interval_seconds: Seconds = 300.0
    """会话里的消息过多久由模型一并读取（秒）
    seconds after which a model reads all new observations of a session together"""
    max_age_days: Annotated[float, Field(gt=0)] = 30.0
    """工具返回的内容保留多少天
    days for which results of tools are kept"""


class TalkSettings(Section):
    gather_messages: Annotated[int, Field(ge=1, le=64)] = hot(48)
    """交来的消息攒够几条就一起交给模型（没有模型时不等）
    number of waiting messages of a conversation at which the model reads them together; without a model nothing waits"""
    gather_tokens: Annotated[int, Field(ge=1, le=20_000)] = hot(4_000)
    """或者攒够多少 token
    or their number of tokens"""
    silence_seconds: Annotated[float, Field(gt=0, le=86_400)] = hot(60.0)
    """或者最后一条之后安静了多少秒
    or seconds of silence after the last message"""
    gather_seconds: Annotated[float, Field(gt=0, le=86_400)] = hot(600.0)
    """一条消息最多等多少秒，不管有没有安静下来
    maximum seconds that a message waits for others, silence or not"""
    keep_days: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """聊天消息保留多少天，0 为一直保留；由消息得出的记录不受影响
    days for which messages are kept (0: forever); events made from them stay"""
    keep_messages: Annotated[int, Field(ge=0)] = 100_000
    """一个会话最多保留多少条消息，多了先删最旧的，0 为不限
    maximum number of messages kept per conversation; the oldest are deleted first; 0: no limit"""


class CognitiveSettings(Section):
    enabled: bool = True
    """是否启用记忆
    whether memory is on"""
    data_dir: str = "data/cognitive"
    """数据目录，相对本文件所在目录
    directory of all data, relative to this file's own"""
    group_access: bool = False
    """数据目录的用户组是否也可读写（目录 2770、文件 660）；否则只有本用户（700、600）
    whether the group of the data directory may read and write too (2770, 660); else only the user who runs this (700, 600)"""
    bot_name: str = ""
    """机器人的名字（任务里没有时用它）
    the bot's name, for jobs without one"""
    language: LanguageChoice = "auto"
    """提示词与输出语言
    language of prompts and output"""
    instructions: Annotated[str, Field(max_length=2_000)] = hot("")
    """主人的吩咐：记什么、永远不记什么（如“不记健康状况”），至多 2000 字；写进给模型的提示词，不会被召回；没有模型时不起作用
    what to keep and what never, in the owner's words ("never note health matters"), 2,000 characters at most: part of the models'
    prompts, never recalled, without effect where there is no model"""
    notes_dir: str = ""
    """Markdown 笔记的目录，空闲时自动索引；留空则不索引
    directory of Markdown notes, indexed by the worker when idle; empty: no notes are indexed"""
    notes_scope: str = ""
    """笔记归哪个会话：group:群号 或 user:用户号；留空为共享笔记，只有点名才读得到
    whose notes these are: group:ID or user:ID; empty: shared notes, which are read only when asked for"""
    notes_follow_links: bool = False
    """笔记目录里指向目录之外的链接是否跟随
    whether links that lead out of the notes directory are followed"""
    migrate_from: str = ""
    """旧摘要文件（如 end_summaries.json），启动后在后台迁入一次；留空则不迁
    a file of old summaries (such as end_summaries.json), imported once in the background after the start; empty: none"""
    migrate_rewrite: bool = False
    """迁入时是否交给史官改写；否则只按规则
    whether these summaries are rewritten by the historian; otherwise the rules alone file them"""
    timezone: str = "local"
    """默认时区：IANA 名称，或 local（本机的；时间戳带着别的时差则用它的）
    default time zone: an IANA name, or local (of this machine, or of a timestamp that has another offset)"""
    undo_hours: Annotated[float, Field(ge=0, le=8_760)] = hot(24.0)
    """更正和删除后多少小时内可以撤销；0 为不留，原文立刻清除
    hours for which a correction or deletion can be undone; 0: nothing is kept, and the old text is erased at once"""
    query: QuerySettings = Field(default_factory=QuerySettings)
    historian: HistorianSettings = Field(default_factory=HistorianSettings)
    profile: ProfileSettings = Field(default_factory=ProfileSettings)
    queue: QueueSettings = Field(default_factory=QueueSettings)
    shortterm: ShorttermSettings = Field(default_factory=ShorttermSettings)
    observation: ObservationSettings = Field(default_factory=ObservationSettings)
    talk: TalkSettings = Field(default_factory=TalkSettings)

    @field_validator("notes_scope")
    @classmethod
    def _notes_scope(cls, value: str) -> str:
        notes_scope(value)
        return value

    @field_validator("timezone")
    @classmethod
    def _timezone(cls, value: str) -> str:
        if value == "local":
            return value
        try:
            return check_timezone(value)
        except InvalidInput as error:
            raise ValueError(f"{error}, or local") from None
