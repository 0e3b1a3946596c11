"""The words that make a question a question, in both languages: comparisons, negation, counting, order, turns.

The words are data; what they do is in `grammar`.  One line each: a role with its arguments | Chinese | English; commas
separate.  Adjectives stand in a table of their own, since each gives a comparison, a superlative and an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_ROLES = """
cmp >= | 至少, 不低于, 不少于, 不小于, 最少有, 起码, 大于等于, 大于或等于, 不早于, 最低要, 达到, 达, 满, >=, ≥ | at least, no less than, not less than, no fewer than, not fewer than, not under, not below, minimum, minimum of, a minimum of, min, starting at, no lower than, not lower than, no shorter than, no earlier than, a full
cmp > | 超过, 高于, 大于, 多于, 超出, 不止, 高过, 大过, 多过, 长于, 超, >, ＞ | more than, over, above, greater than, higher than, larger than, bigger than, exceeding, exceeds, exceed, exceeded, in excess of, beyond, better than, upwards of
cmp <= | 不超过, 不高于, 不大于, 不多于, 至多, 不足或等于, 小于等于, 小于或等于, 别超过, 不要超过, 不能超过, 不得超过, 没超过, 没有超过, 未超过, 控制在, 顶多, 上限, 最多要, <=, ≤ | at most, no more than, not more than, not exceeding, does not exceed, doesn't exceed, do not exceed, not to exceed, not over, not above, up to, max, maximum, maximum of, a maximum of, not higher than, no higher than, within, capped at, no longer than, no later than, no bigger than
cmp < | 低于, 小于, 少于, 不到, 不足, 未满, 不满, 没到, 未到, 短于, 不够, <, ＜ | less than, under, below, fewer than, lower than, smaller than, worse than, short of
cmp = | 等于, 正好, 恰好, 刚好, 正好是, =, == | exactly, equal to, equals, equal, precisely
cmp != | 不等于, !=, <>, ≠ | not equal to, different from
than | 比, 较 | than, compared to
less | 不如, 不及, 低于, 少于 |
post >= | 以上, 及以上, 或以上, 和以上, 或更多, 往上, 起步, 打底, 起, 开外, + | or more, or above, or higher, or over, and above, and up, and over, and higher, and more, or up, or better, upwards, plus, or older, or greater, +, or longer, or heavier, and older
post > | 多, 出头 |
post <= | 以下, 以内, 之内, 及以下, 或以下, 封顶, 内, 或更少 | or less, or below, or fewer, or under, and below, or lower, and under, and lower, or cheaper, or younger, tops, or shorter, or lighter
around | 左右, 上下, 大约, 大概, 差不多, 约 | around, about, approximately, roughly
between | 介于, 在 | between, from, ranging from
closed | 之间, 间, 的范围, 范围内 |
to | 到, 至, ~, -, –, —, 〜 | to, through
and | 和, 与, 及, 以及, 并且, 而且, 且, 、, 同时, 又, 还要, 跟, 兼, 又会, 又能, 又有 | and, as well as, &, both, and also, but, but also, who also
or | 或, 或者, 还是, 或是, / | or, either
nor | | neither, nor
not | 不, 不要, 不是, 不在, 非, 没有, 没, 不会, 不含, 不包括, 不包含, 除了, 除, 除去, 排除, 别, 不能, 不想要, 不属于, 不接受, 不懂, 不来自, 无, 未, 不可以, 不可, 从未, 从没, 从来没有, 从来没, 不愿意, 不用, 别要, 不需要, 还没, 还没有, 还未, 尚未, 并非, 没在, 没能, 不看, 不再, 并不, 并没有, 一次都没, 一次也没 | not, no, non, non-, without, except, except for, excluding, exclude, excludes, other than, but not, isn't, is not, aren't, are not, don't, do not, doesn't, does not, never, didn't, did not, can't, cannot, can not, hasn't, haven't, has not, have not, has not been, have not been, had not been, hasn't been, haven't been, never been, not in, wasn't, weren't, was not, were not, isnt, dont, apart from, anything but, won't, nobody, outside, outside of, still to be, yet to be, not yet, without any, have no, has no, had no, with no, have never, has never, had never, lacking, not any
beyond | 以外, 之外, 除外, 以外的, 之外的 |
other | 其他, 其它, 其余, 别的, 另外的 | other, others, the rest, rest of the, the other
count | 多少, 有多少, 多少个, 多少位, 多少名, 多少条, 多少件, 多少种, 多少家, 多少张, 多少笔, 多少单, 多少部, 多少本, 多少辆, 多少台, 几个, 几位, 几名, 几种, 几家, 几条, 几笔, 几单, 几部, 几本, 几张, 几件, 几辆, 几台, 几次, 多少次, 几场, 多少场, 几项, 几门, 几只, 有几, 几, 总数, 个数, 一共多少, 共有多少, 总共多少, 数量, 数, 数目, 次数, 件数, 场数, 记录数, 条数, 总次数, 一共有多少, 总共有多少, 总共有几, 一共有几, 各有几, 有几个, 有几位, 有几名, 有几种, 有几件, 有几条, 有几部, 有几场 | how many, number of, the number of, numbers of, count, count of, counts of, count the, total number of, the total number of, how often, tally, how many times, total count of, the total count of, total count, respective counts, their counts, their respective counts
different | 不同, 不重复, 不一样 | different, distinct, unique
people | 多少人, 几人, 几个人, 人数, 总人数, 有多少人, 有几人, 有几个人 | headcount, how many people
avg | 平均, 平均值, 均值, 平均数, 的平均, 平均每次 | average, mean, avg, on average, average of, the average of, averages, typical
sum | 总, 总和, 合计, 总计, 总共, 一共, 总额, 总量, 总金额, 总价, 累计, 加起来, 之和, 共计, 共, 总的 | total, sum, sum of, the sum of, in total, altogether, overall, combined, total of, totals, all together, in all
max | 最大值, 最高值, 最大, 最高 | maximum value, highest value, maximum, max
min | 最小值, 最低值, 最小, 最低 | minimum value, lowest value, minimum, min
median | 中位数, 中值, 的中位数 | median, the median
share | 占比, 占多少, 占, 比例, 百分比, 百分之几, 占百分之几, 占百分之多少, 所占比例, 份额, 比重 | share, share of, percentage, percentage of, percent of, proportion, proportion of, what share of, what percentage of, what percent of, what proportion of, what fraction of, fraction of, what part of, out of all, out of the total, out of all the
ratio | 之比, 比值, 比率 | ratio of, the ratio of, ratio between, the ratio between
meanof | 平均分, 均分, 平均得分, 平均评分 | average score, mean score
per | 每个, 每位, 每名, 每家, 每一个, 每一, 每, 各, 各个, 各自, 每种, 每类, 各种, 各类, 每部, 每件, 每条, 每场, 每本, 每辆, 每台, 每间, 每项, 每门, 每款, 每张, 每次, 各家, 各位, 每一种, 每一位, 分, 不同 | per, for each, each, for every, every, grouped by, group by, broken down by, split by, across, in each, of each, by each, in every, of every, at each, within each
by | 按, 按照, 依, 根据, 依照, 以 | by, in terms of, according to
split | 各有, 各是, 分别, 分别是, 分别有, 分别为, 各自, 各, 相比, 对比, 比较, 相比较, 各为 | respectively, versus, vs, vs., compared with, compare, each, as against, separately, against
part year | 哪一年, 哪年, 每年, 按年, 各年, 年度, 按年份, 每一年, 分年, 逐年, 各年份, 每个年份 | which year, what year, per year, yearly, by year, each year, for each year, every year, annually, annual, in each year, in which year, a year
part quarter | 哪个季度, 每季度, 每个季度, 按季度, 各季度, 各个季度, 分季度 | which quarter, per quarter, quarterly, by quarter, each quarter, for each quarter, every quarter
part month | 哪个月, 哪个月份, 几月, 每月, 每个月, 按月, 各月, 月度, 按月份, 各个月, 分月, 每一个月, 逐月, 各月份, 按月统计, 每个月份 | which month, what month, per month, monthly, by month, each month, for each month, every month, in each month, in which month, a month, month by month
part day | 每天, 每日, 按天, 按日, 逐日, 哪天, 哪一天, 各天 | per day, daily, by day, each day, every day, which day, a day, day by day
part weekday | 按星期, 星期几, 周几, 按星期几, 每个星期几, 各星期几 | weekday, by weekday, day of the week, per weekday, by day of the week, which weekday
stat | 统计, 分组, 汇总, 分类, 划分, 来看, 看, 分布, 的分布, 来统计, 计算, 算 | distribution, breakdown, breakdown of, distribution of, statistics, calculate, compute
sort | 排序, 排列, 排, 排一下, 排个序, 排名, 来排, 排排 | sort, sort the, sorted, ordered, listed, sort by, sorted by, order by, ordered by, rank by, ranked by, ranked, rank, arranged by, in order of, sort them by, order them by, ordered, order the results by, order results by, sort the results by, sort results by, results sorted by, order them, sort them, arrange
desc | 从高到低, 由高到低, 从大到小, 由大到小, 从多到少, 由多到少, 降序, 倒序, 倒序排列, 从贵到便宜, 从新到旧, 从晚到早, 由新到旧, 从长到短, 从重到轻, 由多至少, 由高至低, 降序排列 | most first, descending, desc, in descending order, high to low, from high to low, highest to lowest, from highest to lowest, largest to smallest, newest to oldest, most to least, from most to least, from largest to smallest, best to worst, longest to shortest, decreasing, best first
asc | 从低到高, 由低到高, 从小到大, 由小到大, 从少到多, 由少到多, 升序, 正序, 从便宜到贵, 从旧到新, 从早到晚, 由早到晚, 从短到长, 从轻到重, 升序排列 | fewest first, least first, ascending, asc, in ascending order, low to high, from low to high, lowest to highest, from lowest to highest, smallest to largest, oldest to newest, least to most, from smallest to largest, from oldest to newest, from shortest to longest, increasing, worst first
alpha | 按字母, 按字母顺序, 按拼音 | alphabetically, alphabetical order, in alphabetical order, by name alphabetically
first | 优先, 在前, 排前面, 在前面, 排在前面, 靠前 | first
top > | 前, 头, 排名前, 排前, 前面, 排在前, 名列前 | top, first, limit, limit to
top < | 后, 倒数, 排名后, 垫底, 倒数第, 末 | bottom, last
super > many | 最多, 最常见, 最常用, 最频繁 | most, the most, most common, most frequent, most frequently, most frequently used, most commonly used, most often
super < many | 最少, 最少见 | fewest, the fewest, least common, least frequent
super > date | 最新, 最近一次, 最后, 最后一次, 最晚 | newest, latest, most recent, most recently
super < date | 最早, 最旧, 最先, 第一次 | earliest, first ever
super > old | 年纪最大, 年龄最大, 岁数最大 |
super < old | 年纪最小, 年龄最小, 岁数最小 |
flow | 销售额, 营业额, 消费额, 消费总额, 消费金额, 销量, 收入, 产量, 支出, 销售量, 交易额, 成交额 | sales, revenue, turnover, spending, expenses, units sold, quantity sold, sales volume, income, output
sumof | 总额, 总金额, 总价, 总费用, 总价格 | total amount, total value, total cost
verb | 写, 发表, 教, 教授, 授课, 导演, 主演, 演, 卖, 卖出, 开设, 出版, 承办, 买, 买过, 买了, 购买, 购买过, 经手, 办理, 参加, 参加过, 做过, 看过, 去过, 借过, 借, 修, 修过 | bought, buy, buys, purchased, placed, attended, visited, handled, sent, wrote, did, ride, rode, rented, borrowed, anything, something, written, published, publish, presented, taught, teaches, teach, offered, offer, offers, serve, serves, served, serving, posted, prescribed, enrolled, hosted, host, played, plays, directed, issued, received, visited, reviewed, left, operated, operate, operates, provide, provides, provided, registered, earned, treated, diagnosed, opened, participated, associated, associated with, performed, recorded, conducted, completed by, owned by, run by, covered, affiliated, affiliated with, related to, linked to, connected to, arrived, submitted, filed, reported, requested, part of, a part of, member of, members of, created, made, makes
super > rating | 评价最好, 口碑最好 | best rated, best-rated, highest rated, highest-rated, top rated, top-rated
super < rating | 评价最差, 口碑最差 | worst rated, worst-rated, lowest rated, lowest-rated
super > salary | | best paid, highest paid, highest-paid, best-paid
super < salary | | lowest paid, lowest-paid
super > sold | 最畅销, 卖得最好, 卖得最多, 卖的最好, 卖的最多 | best-selling, best selling, bestselling
super < sold | 卖得最差, 卖得最少, 卖的最差 | worst-selling
super > experience | 最有经验, 最资深 | most experienced, most senior
super < experience | 最没经验 | least experienced, most junior
comp > many | 多, 更多 | more
comp < many | 少, 更少 | fewer, less
nth 1 | 第一, 第一名 |
nth 2 | 第二, 第二名 | second, 2nd, second-
nth 3 | 第三, 第三名 | third, 3rd, third-
nth 4 | 第四 | fourth, 4th
nth 5 | 第五 | fifth, 5th
nth 6 | 第六 | sixth, 6th
nth 7 | 第七 | seventh, 7th
nth 8 | 第八 | eighth, 8th
nth 9 | 第九 | ninth, 9th
nth 10 | 第十 | tenth, 10th
which | 什么, 是什么, 哪个, 哪些, 哪位, 哪几个, 哪几位, 哪种, 哪类, 哪家, 哪一个, 哪款, 哪部, 哪名, 哪件, 哪条, 哪几家, 哪几种, 哪几部, 哪 | which, which one, which of the, which ones
what | 是多少, 为多少, 有哪些, 有哪几个, 有哪几种, 都有哪些, 有什么, 是哪些, 是哪个, 是哪部, 是哪位, 是哪几个, 是哪一个, 是哪家, 是哪种, 是哪条, 是哪件, 怎么样, 如何 | what, what's, what is, what are, what were, what was
who | 谁, 是谁, 有谁, 哪些人, 什么人, 哪个人 | who, whom, whose, who's, who is, who are
where | 哪里, 在哪里, 在哪, 什么地方 | where
when | 什么时候, 何时, 哪天 | when
much | 多少 | how much, what amount of, how long, how far, how big, how large
worth price | 多少钱, 卖多少钱, 什么价 | how expensive, how much is, how much are, how much does
worth age | 多大, 多大年纪, 几岁, 多少岁 | how old
exists | 有没有, 是否有, 有无, 是不是有, 存在 | is there, are there, is there any, are there any, do we have, do we have any, was there, were there, is there a, is there an, are there some
show | 列出, 显示, 展示, 给我看, 查看, 看看, 看一下, 列一下, 列举, 列出来, 显示出来, 列, 给出, 告诉我, 名单, 列表 | show, list, display, give me, tell me, print, return, give, view, see, show me, list all, list them, show them, show all, the names of, names of, the list of, a list of, list of
find | 找, 找出, 查找, 查, 搜索, 筛选, 我要, 我想, 想找, 我想找, 我要找, 想要, 推荐, 查询, 找到, 帮我找, 查一下, 找一下, 筛选出, 找找 | find, search, search for, look for, get, i need, i want, looking for, i'm looking for, need, want, we need, get me, find me, select, retrieve
follow | 其中, 这些, 这里面, 里面, 他们, 她们, 它们, 那些, 上面, 只要, 只看, 只留, 只保留, 仅, 只, 再, 另外, 然后, 呢, 那么, 的呢, 当中, 里头, 里边, 这其中, 在这些人里, 剩下的, 必须, 那, 这当中 | of those, of these, among them, among those, among these, those, these, them, they, only, just, ones, the ones, what about, how about, of them, then, only those, now, only the ones, must, he, she, it, their, only the, only in, just the, from those, from these
replace | 换成, 改成, 改为, 换为, 换, 改, 变成, 换到, 改到 | instead, change to, change it to, change that to, change, switch to, make it, make that, replace with, rather, rather than that, switch
also | 也行, 也可以, 也要, 也算, 也, 加上, 还有, 再加上, 或者也行, 也包括, 也看看 | also, too, include, add, in addition, also include
drop | 不限, 不限制, 无所谓, 都行, 都可以, 随便, 没要求, 没有要求, 没限制, 不做要求, 不作要求, 没有限制 | doesn't matter, does not matter, is irrelevant, don't matter, is not important, isn't important, is fine
undo | 不管, 不考虑, 不论, 无论, 任意, 去掉, 删除, 删掉, 移除, 不看, 不要求, 放宽, 取消限制, 撤销, 去除, 拿掉, 不再限制, 不再要求, 不用管, 不限 | any, regardless of, no matter, remove, drop, forget, forget about, ignore, clear, no limit on, no restriction on, never mind, don't care about, whatever, disregard, irrespective of, no matter what, delete, lift, undo, no
limits | 条件, 限制, 要求, 筛选条件, 的条件 | filter, filters, condition, conditions, restriction, restrictions, requirement, requirements, constraint, limit, limits, criteria, criterion
reset | 重新开始, 重来, 清空, 重置, 从头开始, 换个问题, 清除所有条件, 重新来, 去掉所有条件, 全部清空 | start over, reset, clear all, clear everything, start again, new question, clear all filters, remove all filters, from scratch, remove all conditions
all | 全部, 所有, 全体, 一切, 都, 整体, 全都 | all, everything, entire, whole, overall, full, everyone, everybody, anyone, anybody, all of the, all the
contains | 包含, 含有, 含, 带有, 里有, 中有, 带, 提到, 里带, 里提到, 中提到, 出现 | containing, contains, contain, mentioning, mentions, mention, includes, with the word, like
starts | 开头是, 打头 | starting with, starts with, start with, beginning with, begin with, begins with
tail starts | 开头, 打头 |
ends | 结尾是 | ending with, ends with, end with, ending in, ends in
tail ends | 结尾 |
surname | 姓 | surname, last name, family name
empty | 为空, 没填, 缺失, 空缺, 没有填写, 是空的, 未填写, 未填, 缺, 空白, 没写, 没有填, 没有记录, 不详, 没留 | is empty, is missing, missing, is null, null, empty, not set, are empty, are missing, blank, unknown, not known, not recorded, not given
filled | 不为空, 有填, 填了, 非空, 已填写, 已填, 填写了 | not empty, is set, not null, is not null, is known, filled in, is filled, recorded
have | 有, 带, 具有, 拥有 | with, has, have, having, had, who has, that has, who have, that have, with any, with a, with an, have a, has a
since | 以来, 以后, 开始, 起, 自从, 自 | since, from, starting, starting from, onwards, onward, or later, and later, not before, no earlier than, beginning, as of, on or after, on or later than
past | 之后, 后, 晚于, 过后, 以后 | after, later than, past, following
before | 以前, 之前, 前, 早于 | before, prior to, earlier than, ahead of
until | 截至, 截止, 为止, 不晚于, 截止到, 截至到, 前为止 | until, till, by, no later than, not after, not later than, up until, through, at the latest, on or before, on or earlier than
within | 内, 之内, 以内 | within, in the next, over the next
ago | 前, 以前, 之前 | ago
during | 在, 于 | in, on, during, throughout, of, for, at, dated, in the
later | 以后, 之后 | from now
weekend | 周末, 双休日 | weekend, weekends, the weekend, a weekend, on weekends
from | 从, 来自, 自, 由 | from
toward | 到, 往, 至, 去, 寄往, 发往, 前往, 飞往 | to, into, towards, bound for
unit | 类, 片, 品, 型, 款, 式, 级, 类的, 类型的, 性质, 性, 族, 籍, 厂, 牌, 组, 岗, 类里, 类中 |
classifier | 个, 位, 名, 件, 条, 家, 款, 部, 本, 场, 张, 辆, 台, 笔, 单, 种, 次, 项, 门, 间, 只, 份, 人 |
times | 次, 回, 趟, 场, 笔, 单 | times, occasions
records | 记录, 数据, 条目, 信息, 资料, 明细 | records, record, rows, row, entries, entry, lines, items, cases
stop | 用, 出, 才能, 才, 但是, 但, 不过, 的, 之, 了, 吗, 请, 请问, 帮我, 给我, 我, 我们, 一下, 是, 为, 把, 要, 能, 可以, 能够, 可, 需要, 希望, 就, 得, 着, 过, 这, 现在, 目前, 属于, 所, 以, 被, 由, 对, 情况, 方面, 一些, 人, 你, 你好, 您, 吧, 啊, 呀, 其, 等, 最好能, 最好是, 最好在, 最好会, 最好, 上, 中, 里, 下, 想, 知道, 一共有, 总共有, 进行, 做, 那种, 这种, 详细, 详情, 都有, 还, 它, 他, 她, 一个, 那个, 这个, 具体, 结果, 既, 大家, 来, 于, 在, 从, 自, 来自, 麻烦, 谢谢, 看, 当前, 名, 有, 到底, 究竟, 每, 里的, 中的, 类, 组, 时, 时候, 共, 会, 算上, 所有的, 的话, 却, 个, 位, 件, 条, 家, 款, 部, 本, 场, 张, 辆, 台, 笔, 种, 次, 项, 间, 只, 份, 期间, 内, 又, 并, 且, 而, 给, 跟, 用了, 需, 会有, 曾, 曾经, 已, 已经, 过的, 前, 要求, 愿意, 接受, 支持, 一共, 总共, 算, 既会, 既能, 既有 | the, a, an, via, through the, by way of, is, are, was, were, be, been, being, do, does, did, that, which, who, i, me, my, we, us, our, you, your, please, can, could, would, will, shall, should, his, her, its, their, this, at, as, of, in, on, for, with, to, from, some, any, information, info, details, want to, like to, would like, know, let, let's, hi, hello, thanks, so, 's, s, currently, in the database, in our database, so far, ever, located, results, result, if, when, where, whether, but, while, using, i'd, i'm, we'd, it's, that's, there's, have been, has been, had been, kind of, type of, such, have, has, had, one, ones, exactly, available, made, made of, make, makes, come, came, comes, coming, come from, comes from, coming from, took, take, takes, taken, taking, get, gets, got, give, gives, given, go, goes, went, happen, happened, occur, occurred, belonging to, belong to, belongs to, associated with, corresponding, among, during, in the, on the, of the, at the, for the, to the, their own, named, called, what, look after, looks after, looking after, done by, held, living, lives, live, based, works, work, working, worked, used, use, uses, willing, able, able to, receive, received, receives, keep, kept, put, found, seen, appear, appears, exist, exists, placed, place, spent, people, person, persons, today's, whose, it, need, needs, needing, there, inclusive, respective, the letter, letter, letters, each of, both, either, database, dataset, table, tables, column, columns, also, including, along with, together, well, as well, the respective, different kinds of, was made, were made, in meters, in metres, in km, in kilometers, in kilometres, in square kilometers, in square miles, in miles, in feet, in kg, in kilograms, in minutes, in hours, in seconds, in days, in years, in dollars, in percent, per square kilometer, people per square kilometer, in people per square kilometer, each with, each one's, list of, case-insensitive, case insensitive, gotten, based on joining, by joining, by doing a left join, by doing a join, by a left join, by an inner join, came out, come out, comes out, respectively
"""

# about | up: Chinese | down: Chinese | up: English | down: English.  English: base comparative superlative, or the base
# alone (more ..., most ...); semicolons separate.
_ADJECTIVES = """
price | 贵, 昂贵 | 便宜, 廉价 | expensive; pricey pricier priciest; dear dearer dearest; costly costlier costliest | cheap cheaper cheapest; affordable; inexpensive
old | 老, 年长, 年纪大, 年龄大, 年老 | 年轻, 年纪小, 年龄小, 年幼 | old older oldest; elder elder eldest | young younger youngest
date | 新, 晚, 近 | 早, 旧, 久远 | recent; new newer newest; late later latest | early earlier earliest
length | 长, 久, 远 | 短, 近 | long longer longest; lengthy lengthier lengthiest; far farther farthest; distant | short shorter shortest; brief briefer briefest; near nearer nearest
height | 高 | 矮 | tall taller tallest |
weight | 重, 沉 | 轻 | heavy heavier heaviest | light lighter lightest
size | 大 | 小 | big bigger biggest; large larger largest; great greater greatest | small smaller smallest; tiny tinier tiniest; little littler littlest
speed | 快 | 慢 | fast faster fastest; quick quicker quickest | slow slower slowest
any | 高, 多, 大, 强, 丰富 | 低, 少, 小, 弱 | high higher highest; top; strong stronger strongest | low lower lowest; weak weaker weakest
rating | 好, 优秀, 优 | 差, 坏, 糟 | good better best; popular | bad worse worst; unpopular
value | 值钱, 有价值, 贵重 | 不值钱 | valuable; precious; worthy | worthless
"""


@cache
def lexicon() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Every word or phrase, folded, with its roles: ``("cmp", ">=")``, ``("super", ">", "price")`` …"""
    found: dict[str, dict[tuple[str, ...], None]] = {}

    def put(word: str, *role: str) -> None:
        if word.strip():
            found.setdefault(word.strip(), {})[role] = None

    for line in _ROLES.strip().splitlines():
        role, *languages = line.replace("|", " | ").split(" | ")
        for words in languages:
            for word in words.split(","):
                put(word, *role.split())
    for line in _ADJECTIVES.strip().splitlines():
        about, *sides = (part.strip() for part in line.split("|"))
        for i, said in enumerate(sides):
            up = "><"[i % 2]
            if i < 2:
                for word in said.split(","):
                    put(word, "adj", up, about)
                    if word.strip():
                        put("最" + word.strip(), "super", up, about)
                        put("更" + word.strip(), "adj", up, about)
            else:
                for forms in said.split(";"):
                    _english(put, forms.split(), up, about)
    return {word: tuple(roles) for word, roles in found.items()}


def _english(put: object, forms: list[str], up: str, about: str) -> None:
    assert callable(put)
    down = "<" if up == ">" else ">"
    if len(forms) == 3:
        put(forms[1] + " than", "cmp", up, about)
        put("no " + forms[1] + " than", "cmp", {">": "<=", "<": ">="}[up], about)
        put("not " + forms[1] + " than", "cmp", {">": "<=", "<": ">="}[up], about)
        put(forms[1], "adj", up, about)
        put(forms[2], "super", up, about)
    if len(forms) == 1:
        put(f"more {forms[0]} than", "cmp", up, about)
        put(f"less {forms[0]} than", "cmp", down, about)
        put(f"more {forms[0]}", "adj", up, about)
        put(f"most {forms[0]}", "super", up, about)
        put(f"least {forms[0]}", "super", down, about)
    if forms:
        put(f"how {forms[0]}", "worth", about)


@cache
def flows() -> tuple[str, ...]:
    """Words for what adds up: sales, 销量."""
    return tuple(w for w, roles in lexicon().items() if ("flow",) in roles)


def roles_of(word: str) -> tuple[tuple[str, ...], ...]:
    """The roles of a word or phrase; () where it has none."""
    return lexicon().get(word, ())
