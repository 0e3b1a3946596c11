"""The words that make a question a question, in both languages: comparisons, negation, counting, sorting, turns.

One line each: what the words mean | Chinese | English.  The words are data; what they do is in `rules`.
Commas separate; a comma itself is no word.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_SPEECH = """
cmp >= | 至少, 不低于, 不少于, 不小于, 最少, 起码, 大于等于, 大于或等于, 不早于, 最低, 最小, 达到, 满, >=, ≥ | at least, no less than, not less than, no fewer than, not fewer than, not under, not below, minimum, minimum of, a minimum of, min, starting at, no lower than, not lower than
cmp > | 超过, 高于, 大于, 多于, 超出, 不止, 高过, >, ＞ | more than, over, above, greater than, higher than, larger than, bigger than, exceeding, exceeds, exceed, in excess of, beyond, better than
cmp <= | 不超过, 不高于, 不大于, 不多于, 至多, 最多, 小于等于, 小于或等于, 最高, 最大, 别超过, 不要超过, 不能超过, 不得超过, 没超过, 没有超过, 控制在, 顶多, 上限, <=, ≤ | at most, no more than, not more than, not exceeding, does not exceed, doesn't exceed, do not exceed, not to exceed, not over, not above, up to, max, maximum, maximum of, a maximum of, not higher than, no higher than, within, capped at
cmp < | 低于, 小于, 少于, 不到, 不足, 未满, 不满, 没到, <, ＜ | less than, under, below, fewer than, lower than, smaller than
cmp = | 等于, 正好, 恰好, 刚好, =, == | exactly, equal to, equals, equal
cmp != | 不等于, !=, <>, ≠ | not equal to
cmp < price | | cheaper than, less expensive than
cmp > price | | more expensive than, pricier than, dearer than
cmp > age | | older than
cmp < age | | younger than
cmp > length | | longer than
cmp < length | | shorter than
cmp > weight | | heavier than
cmp < weight | | lighter than
than | 比 | compared to
adj > | 高, 多, 大, 久 |
adj < | 低, 少, 小 |
adj > price | 贵 |
adj < price | 便宜 |
adj > date | 晚 |
adj < date | 早 |
after >= | 以上, 及以上, 或以上, 和以上, 或更多, 往上, 起步, 打底, 起, + | or more, or above, or higher, or over, and above, and up, and over, and higher, and more, or up, or better, upwards, plus, or older, or greater, +, or longer
after <= | 以下, 以内, 之内, 及以下, 或以下, 封顶, 内, 或更少 | or less, or below, or fewer, or under, and below, or lower, and under, and lower, or cheaper, or younger, tops, or shorter
around | 左右, 上下, 大约, 大概, 差不多 | around, about, approximately, roughly
between | 介于 | between
closed | 之间 |
to | 到, 至, ~, -, –, —, 〜 | to, through
and | 和, 与, 及, 以及, 并且, 而且, 且, 、, 同时, 又, 还要, 跟 | and, as well as, &, both
or | 或, 或者, 还是, 或是, / | or, either, nor
not | 不, 不要, 不是, 不在, 非, 没有, 没, 不会, 不含, 不包括, 不包含, 除了, 除, 除去, 排除, 别, 不能, 不想要, 不属于, 不接受, 不懂, 不来自, 无, 未, 不可以, 不可, 从未, 从没, 不愿意, 不用, 别要, 不需要, 还没 | not, no, non, non-, without, except, except for, excluding, exclude, excludes, other than, but not, isn't, is not, aren't, are not, don't, do not, doesn't, does not, never, didn't, did not, can't, cannot, can not, hasn't, haven't, has not, have not, not in, wasn't, weren't, isnt, dont, apart from, anything but, won't, nobody, neither
beyond | 以外, 之外, 除外, 以外的, 之外的 |
count | 多少, 有多少, 多少个, 多少位, 多少名, 多少条, 多少件, 多少种, 多少家, 多少张, 多少笔, 多少单, 几个, 几位, 几名, 几种, 几家, 几条, 几笔, 几单, 几次, 多少次, 几场, 多少场, 几天, 多少天, 有几, 几, 总数, 个数, 一共多少, 共有多少, 总共多少, 数量, 数, 数目 | how many, number of, the number of, count, count of, count the, total number of, the total number of, how many different, how many distinct, number of different, number of distinct
people | 多少人, 几人, 几个人, 人数 |
avg | 平均, 平均值, 均值, 平均数 | average, mean, avg, on average, average of
sum | 总, 总和, 合计, 总计, 总共, 一共, 总额, 总金额, 总价, 累计, 加起来, 之和, 共计, 共 | total, sum, sum of, the sum of, in total, altogether, overall, combined, total of
max | 最大值, 最高值 | maximum value, highest value
min | 最小值, 最低值 | minimum value, lowest value
super > | 最高, 最大, 最长, 最好, 最强, 最靠前 | highest, largest, biggest, greatest, maximum, max, top, best
super > many | 最多 | most
super < | 最低, 最小, 最短, 最差, 最弱 | lowest, smallest, minimum, min, worst, least, tiniest
super < many | 最少 | fewest
super > price | 最贵 | most expensive, priciest, dearest, costliest
super < price | 最便宜 | cheapest, least expensive, most affordable
super > date | 最新, 最近, 最晚 | newest, latest, most recent, last, most recently
super < date | 最早, 最旧 | earliest, first ever
super > age | 最年长, 最老, 年龄最大, 年纪最大 |
super < age | 最年轻, 年龄最小, 年纪最小 | youngest
super > old | | oldest, eldest
super > experience | 最有经验, 最资深, 经验最丰富, 经验最多 | most experienced, most senior
super < experience | 经验最少, 最没经验 | least experienced, most junior
super > rating | 评价最好, 口碑最好 | best rated, best-rated, highest rated, highest-rated, top rated, top-rated
super < rating | 评价最差, 口碑最差 | worst rated, worst-rated, lowest rated, lowest-rated
super > salary | | best paid, highest paid, highest-paid, best-paid
super < salary | | lowest paid, lowest-paid
super > length | | longest
super < length | | shortest
super > weight | 最重 | heaviest
super < weight | 最轻 | lightest
super > sold | 最畅销, 卖得最好, 卖得最多, 卖的最好, 卖的最多 | best-selling, best selling, bestselling
super < sold | 卖得最差, 卖得最少, 卖的最差 | worst-selling
ahead | 优先, 在前, 排前面, 在前面, 排在前面, 靠前 | first
per | 每个, 每位, 每名, 每家, 每一个, 每一, 每, 各, 各有, 各是, 各个, 各自, 不同, 分 | per, for each, each, for every, every, grouped by, group by, broken down by, split by, across, in each, of each, by each, in every
by | 按, 按照, 依, 根据, 依照 | by, in terms of
part year | 哪一年, 哪年, 每年, 按年, 各年, 年度, 按年份, 每一年, 分年 | which year, what year, per year, yearly, by year, each year, for each year, every year, annually, annual, in each year
part quarter | 哪个季度, 每季度, 每个季度, 按季度, 各季度, 各个季度 | which quarter, per quarter, quarterly, by quarter, each quarter, for each quarter, every quarter
part month | 哪个月, 哪个月份, 几月, 每月, 每个月, 按月, 各月, 月度, 按月份, 各个月, 分月, 每一个月 | which month, what month, per month, monthly, by month, each month, for each month, every month, in each month
part day | 每天, 每日, 按天, 按日 | per day, daily, by day, each day, every day
part weekday | 按星期, 星期几, 周几, 按星期几 | weekday, by weekday, day of the week, per weekday, by day of the week
stat | 统计, 分组, 汇总, 分类, 划分, 来看, 分布, 分别 | respectively, distribution, breakdown
sort | 排序, 排列, 排, 排一下, 排个序, 排名 | sort, sorted, sort by, sorted by, order by, ordered by, rank by, ranked by, ranked, rank, arranged by, in order of, sort them by, order them by, ordered, order, order the results by, order results by, sort the results by, sort results by, results sorted by
desc | 从高到低, 由高到低, 从大到小, 由大到小, 从多到少, 由多到少, 降序, 倒序, 倒序排列, 从贵到便宜, 从新到旧, 从晚到早, 由新到旧, 从长到短 | most first, newest first, descending, desc, in descending order, highest first, high to low, from high to low, largest first, highest to lowest, from highest to lowest, largest to smallest, newest to oldest, most to least, from most to least, from largest to smallest, from best to worst, best to worst, from longest to shortest, from newest to oldest, biggest first, decreasing, from high to low
asc | 从低到高, 由低到高, 从小到大, 由小到大, 从少到多, 升序, 正序, 从便宜到贵, 从旧到新, 从早到晚, 从短到长 | fewest first, least first, oldest first, ascending, asc, in ascending order, lowest first, low to high, from low to high, smallest first, lowest to highest, from lowest to highest, smallest to largest, oldest to newest, least to most, from smallest to largest, from oldest to newest, from shortest to longest, from least to most, from worst to best, increasing, alphabetically, alphabetical order, in alphabetical order
top > | 前, 头, 排名前, 排前, 前面 | top, first, limit, limit to
top < | 后, 倒数, 排名后, 垫底 | bottom
which | 哪个, 哪些, 哪位, 哪几个, 哪几位, 哪种, 哪类, 哪里, 哪家, 哪一个, 哪款, 哪, 谁, 什么, 是多少, 是什么, 为多少, 有哪些, 是谁, 哪天, 什么时候 | which, what, who, whose, where, when, what's, who's, whom, which one, what is, who is, what are
worth | 多少钱, 卖多少钱, 什么价 | how expensive, how much
worth age | 多大, 多大年纪, 几岁, 多少岁 | how old
show | 列出, 显示, 展示, 给我看, 查看, 看看, 看一下, 列一下, 列举, 列出来, 显示出来, 列 | show, list, display, give me, tell me, print, return, give, view, see, show me, list all, list them, show them
find | 找, 找出, 查找, 查, 搜索, 筛选, 我要, 我想, 想找, 我想找, 我要找, 想要, 推荐, 查询, 找到, 帮我找, 查一下, 找一下, 招, 想招, 筛选出 | find, search, search for, look for, get, i need, i want, looking for, i'm looking for, need, want, we need, get me, find me, select, retrieve
follow | 其中, 这些, 这里面, 里面, 他们, 她们, 它们, 那些, 上面, 只要, 只看, 只留, 只保留, 仅, 只, 再, 另外, 然后, 呢, 那么, 的呢, 当中, 里头, 里边, 这其中, 在这些人里, 剩下的, 必须 | of those, of these, among them, among those, among these, those, these, them, they, only, just, ones, the ones, what about, how about, of them, then, only those, now, only the ones, must, he, she, it
replace | 换成, 改成, 改为, 换为, 换, 改, 变成, 换到, 改到 | instead, change to, change it to, change that to, change, switch to, make it, make that, replace with, rather, rather than that, switch
also | 也行, 也可以, 也要, 也算, 也, 加上, 还有, 再加上, 或者也行, 也包括, 也看看 | also, as well, too, include, add, in addition, also include
drop | 不限, 不限制, 无所谓, 都行, 都可以, 随便, 没要求, 没有要求, 没限制, 不做要求, 不作要求, 没有限制 | doesn't matter, does not matter, is irrelevant, don't matter, is not important, isn't important
undo | 不管, 不考虑, 不论, 无论, 任意, 去掉, 删除, 删掉, 移除, 不看, 不要求, 放宽, 取消限制, 撤销, 去除, 拿掉, 不再限制, 不再要求, 不用管 | any, regardless of, no matter, remove, drop, forget, forget about, ignore, clear, no limit on, no restriction on, never mind, don't care about, whatever, disregard, irrespective of, no matter what, delete, lift, undo
limits | 条件, 限制, 要求, 筛选条件, 的条件 | filter, filters, condition, conditions, restriction, restrictions, requirement, requirements, constraint, limit, limits, criteria, criterion
reset | 重新开始, 重来, 清空, 重置, 从头开始, 换个问题, 清除所有条件, 重新来, 去掉所有条件, 全部清空 | start over, reset, clear all, clear everything, start again, new question, clear all filters, remove all filters, from scratch, remove all conditions
all | 全部, 所有, 全体, 一切, 都, 整体 | all, everything, entire, whole, overall, full
contains | 包含, 含有, 含, 带有, 里有, 中有, 带, 提到, 里带 | containing, contains, contain, mentioning, mentions, includes, with the word, like
starts | 开头是, 姓, 打头 | starting with, starts with, start with, beginning with, begin with, begins with
head | 开头 |
ends | 结尾是 | ending with, ends with, end with, ending in, ends in
tail | 结尾 |
surname | 姓 | surname, last name, family name
empty | 为空, 没填, 缺失, 空缺, 没有填写, 是空的, 未填写, 未填, 缺 | is empty, is missing, missing, is null, null, empty, not set, are empty, are missing, blank, lacking
filled | 不为空, 有填, 填了, 非空, 已填写, 已填 | not empty, is set, not null, is not null, is known, filled in, is filled
have | 有, 带 | with, has, have, having, had, who has, that have, who have, that has
since | 以来, 以后, 开始, 起 | since, from, starting, starting from, onwards, onward, or later, and later, not before, no earlier than, beginning
past | 之后, 后, 晚于, 过后 | after, later than, past, following
before | 以前, 之前, 前, 早于 | before, prior to, earlier than, ahead of
until | 截至, 截止, 为止, 不晚于, 截止到, 截至到, 前为止 | until, till, by, no later than, not after, not later than, up until, through, at the latest
in | 在, 于, 自, 从 | among, in, during, on, of, for, throughout
stop | 用, 才能, 才, 但是, 但, 不过, 参加, 次, 的, 了, 吗, 请, 请问, 帮我, 给我, 我, 我们, 一下, 是, 为, 把, 要, 能, 可以, 能够, 可, 需要, 希望, 就, 得, 着, 过, 那, 这, 现在, 目前, 具有, 拥有, 具备, 属于, 来自, 所, 以, 被, 由, 对, 情况, 信息, 数据, 记录, 资料, 方面, 类, 种, 接受, 愿意, 支持, 一些, 人, 你, 你好, 您, 个, 位, 名, 件, 条, 家, 款, 吧, 啊, 呀, 之, 其, 等, 最好能, 最好是, 最好在, 最好会, 工作的, 上, 中, 里, 下, 想, 知道, 一共有, 总共有, 进行, 做, 那种, 这种, 详细, 详情, 都有, 还, 它, 他, 她, 还剩, 一个, 那个, 这个, 买, 买的, 买了, 买过, 会, 开始, 招聘, 应聘, 比较, 谢谢, 麻烦, 存在, 具体, 结果, 既, 大家, 有没有, 是否, 年 | in meters, in metres, in kilometers, in kilometres, in square kilometers, in miles, in km, in kg, in dollars, in yuan, in years, in days, in hours, in minutes, the letter, letter, offered, offering, offers, serve, serves, serving, occurred, happened, made, taken, given, place, places, ever, anything, something, everyone, everybody, anyone, anybody, fine, ok, okay, held, the, a, an, is, are, was, were, be, been, being, do, does, did, that, i, me, my, we, us, our, you, your, please, can, could, would, will, shall, should, there, their, his, her, its, this, at, as, some, records, rows, data, entries, information, info, details, want to, like to, would like, able, able to, who can, willing, know, let, let's, hi, hello, thanks, so, than, 's, s, also, currently, existing, available in the database, in the database, in our database, database, table, so far, ever, exist, exists, located, come from, comes from, coming from, results, result, value, values, if, when, whether, but, while, into, using, out, up, one, look, looking, take, using, made by, i'd, i'm, we'd, it's, that's, there's, bought, buy, buying, have been, has been, had been, placed by, work, works, working, kind of, type of, name is, being, belonging to, belong to, belongs to, associated with, corresponding, each of, hold, holding, via, through the, such, of the, in the, on the, at the, for the, to the, with a, their own, only have, called the, living, candidates with the
"""


@cache
def speech() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Every word or phrase, folded, with its meanings ``(kind, argument)`` in the order above."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for line in _SPEECH.strip().splitlines():
        meaning, *languages = line.split(" | ") if " | " in line else line.split("|")
        kind, _, argument = meaning.strip().partition(" ")
        for words in languages:
            for word in words.strip().strip("|").split(", "):
                word = word.strip().strip("|").strip()
                if word:
                    found.setdefault(word, {})[(kind, argument)] = None
    return {word: tuple(meanings) for word, meanings in found.items()}
