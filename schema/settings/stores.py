"""The settings of the database: the table `[stores]`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from .section import Section


class StoresSettings(Section):
    url: str = ""
    """存储所在：留空为数据目录里的文件；postgresql://用户:密码@主机/库 则用 PostgreSQL（需 pgvector），多台机器可共用
    where memory is stored; empty: files in the data directory; postgresql://USER:PASSWORD@HOST/DB: PostgreSQL with pgvector,
    which several machines may share"""
    schema_name: Annotated[str, Field(pattern="^[a-z_][a-z0-9_]{0,62}$")] = "historian"
    """表所在的 PostgreSQL schema；不同的记忆用不同的名字
    the PostgreSQL schema of the tables; memories with different names are separate"""
    pool_max: Annotated[int, Field(ge=2, le=100)] = 8
    """每个进程至多几个连接，工作进程另加 direct_url 的几个
    maximum number of connections per process; a worker has a few more to direct_url"""
    direct_url: str = ""
    """经 PgBouncer 等连接池时，另给一个直连地址，供工作进程的锁与通知使用；留空则与 url 相同
    with a pooler such as PgBouncer: the address that bypasses it, for locks and notifications of workers; empty: same as url"""
    vectors: Literal["float32", "half"] = "float32"
    """向量的存法：half 只占一半空间，精度略低；建表之后不能改
    how vectors are stored: half takes half the space and is a little less exact; fixed once the tables exist"""
    worker_timeout_seconds: Annotated[float, Field(ge=2, le=60)] = 20.0
    """工作进程多久没有动静（被挂起、卡死、断网），任务就交给别的进程；它醒来后不再能写回
    seconds without a sign of life after which the jobs of a worker (suspended, hanging or cut off from the server) are given
    to other workers; afterwards it can no longer settle them"""
    spool: bool = True
    """数据库连不上时，任务先存入数据目录，恢复后再交上去；false 则直接报错
    while the database is unavailable, jobs are stored in the data directory and handed over later; false: an error is raised"""

    @field_validator("url", "direct_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not value.startswith(("postgresql://", "postgres://")):
            raise ValueError(
                "expected postgresql://USER:PASSWORD@HOST/DATABASE, or nothing for files in the data directory"
            )
        return value
