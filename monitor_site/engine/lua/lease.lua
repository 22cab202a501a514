-- Lease what is due to one worker.
-- KEYS due, lease, pace, breaker, tickets, suspects, drain, looks, share, resumed, fence, rank
-- ARGV limit, concurrency, ahead ms, lease ms, worker, 1 if the worker has nothing in flight,
--      tokens a minute, cap, ticket life ms after a lease for it, lone crashes that quarantine, ticket ids ...
-- Returns {server µs, fence, 1 if this worker should empty itself for a suspect, {quarantined ids},
--          {id, due ms, 1 if alone, ...}, ms until what is not leased is due, 0 if that is not known}
-- The fence is the server's time in µs, and always above the one before: a clock set back makes no result look old.
-- A lease is "fence|worker|due|alone" in the hash; the score of a leased id is the end of its lease.
-- Searches stand in "due", looks in "looks", known by their name. Searches go first; looks take what they leave, less one
-- token and one slot for the search that is due next. While searches have to wait, every four of them earn a place for
-- one look, kept in "share": so neither waits for ever.
local t = redis.call('TIME')
local micros = tonumber(t[1]) * 1000000 + tonumber(t[2])
local now = math.floor(micros / 1000)
local clock = string.format('%.0f', micros)
local fence = string.format('%.0f', math.max(micros, (tonumber(redis.call('GET', KEYS[11])) or 0) + 1))
local limit, concurrency, ahead = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lease_end, worker, idle = now + tonumber(ARGV[4]), ARGV[5], ARGV[6] == '1'
local none = {clock, fence, 0, {}, {}, 0}
local function is_look(id) return string.sub(id, 1, 5) == 'look:' end
local function set_of(id) return is_look(id) and KEYS[8] or KEYS[1] end

for i = 11, #ARGV do redis.call('ZADD', KEYS[5], 'XX', now + tonumber(ARGV[9]), ARGV[i]) end

local open_until = tonumber(redis.call('HGET', KEYS[4], 'until') or 0)
if open_until > now then return none end
local probing = open_until > 0
-- Nothing is late for the time in which nobody may ask. No due time is made later than now: it would be waited for.
local not_before = math.min(now, math.max(open_until, tonumber(redis.call('GET', KEYS[10])) or 0))

local rate = tonumber(ARGV[7]) / 60000
local bucket = redis.call('HMGET', KEYS[3], 'tokens', 'at')
local cap = tonumber(ARGV[8])
local tokens = cap
-- After a clock set back nobody knows how long it rested; the first request finds out.
local rested = now - (tonumber(bucket[2]) or now)
if bucket[1] and rested >= 0 then tokens = math.min(cap, tonumber(bucket[1]) + rested * rate) end
tokens = math.floor(tokens)

local suspects = redis.call('HLEN', KEYS[6])

-- The lease ended and nobody returned it: its worker died, hangs, or this target killed it. It is due as it was.
local function reclaim(id, held)
  local due, alone = string.match(held, '^[^|]*|[^|]*|([^|]*)|(%d)$')
  if alone == '1' then redis.call('HINCRBY', KEYS[6], id, 1) else redis.call('HSETNX', KEYS[6], id, 0) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZADD', set_of(id), due, id)
  suspects = suspects + 1
  return tonumber(due)
end

-- Dead leases must not use up the concurrency, however many ids are due before them.
if probing or redis.call('HLEN', KEYS[2]) >= concurrency then
  local held = redis.call('HGETALL', KEYS[2])
  for i = 1, #held, 2 do
    local score = redis.call('ZSCORE', set_of(held[i]), held[i])
    if not score then
      redis.call('HDEL', KEYS[2], held[i])
    elseif tonumber(score) <= now then
      reclaim(held[i], held[i + 1])
    end
  end
end

-- Of four times as many as can run, the most overdue, those go first that are important, urgent and quick. The share of
-- its deadline that one has waited grows without end, so nothing waits for ever.
local candidates, quarantined = {}, {}
local function score_of(due, rank)
  local importance, deadline, cost = string.match(rank or '', '^(%d+)|(%d+)|(%d+)$')
  local urgency = 1 + (now - due) / math.max(tonumber(deadline) or 60000, 1000)
  return 0.006 * (tonumber(importance) or 50) + 0.3 * urgency - 0.1 * math.min(1, (tonumber(cost) or 0) / 10000)
end
local function find(set, most)
  local found = redis.call('ZRANGEBYSCORE', set, '-inf', now + ahead, 'WITHSCORES', 'LIMIT', 0,
                           math.min(math.max(4 * most, most + 100) + suspects, 1000))
  if #found == 0 then return 0 end
  local ids, own = {}, {}
  for i = 1, #found, 2 do ids[#ids + 1] = found[i] end
  local leases = redis.call('HMGET', KEYS[2], unpack(ids))
  for i, id in ipairs(ids) do
    local score, held = tonumber(found[2 * i]), leases[i]
    if held and score <= now then
      score, held = reclaim(id, held), nil
    end
    -- What a clock set back has put into the future waits there.
    if not held and score <= now + ahead then
      local crashes = -1
      if suspects > 0 then crashes = tonumber(redis.call('HGET', KEYS[6], id) or -1) end
      own[#own + 1] = {id, score, crashes}
    end
  end
  if #own > most then
    local ranks, turn_of = redis.call('HMGET', KEYS[12], unpack(ids)), {}
    for i, id in ipairs(ids) do turn_of[id] = ranks[i] end
    -- Plain numbers sort many times faster than with a function; the tiny part makes each its own, oldest first.
    local turns, one_of = {}, {}
    for i, one in ipairs(own) do
      local turn = i * 1e-7 - score_of(one[2], turn_of[one[1]])
      while one_of[turn] do turn = turn + 1e-9 end
      turns[i], one_of[turn] = turn, one
    end
    table.sort(turns)
    for i, turn in ipairs(turns) do own[i] = one_of[turn] end
  end
  for _, one in ipairs(own) do candidates[#candidates + 1] = one end
  return #own
end
local searches = find(KEYS[1], math.min(limit, concurrency, math.max(tokens, 1)))

local slots = concurrency - redis.call('HLEN', KEYS[2])
local room = math.min(tokens, limit, slots)
if probing then room = math.min(room, 1 - (concurrency - slots)) end
local share = tonumber(redis.call('GET', KEYS[9]) or 0)
local spare = math.min(room, cap >= 2 and tokens - 1 or tokens, concurrency >= 2 and slots - 1 or slots)
local left_over = math.max(0, spare - searches)
local for_looks = math.max(0, math.min(room, math.max(left_over, math.floor(share))))
if for_looks > 0 then for_looks = math.min(for_looks, find(KEYS[8], for_looks)) end
local left = {[true] = for_looks, [false] = room - for_looks}

-- The worker that emptied itself takes a suspect first, however late the others are.
local drainer = redis.call('GET', KEYS[7])
if drainer == worker and idle then
  local first = 0
  for i, candidate in ipairs(candidates) do
    if first == 0 and candidate[3] >= 0 then first = i end
  end
  if first > 0 then table.insert(candidates, 1, table.remove(candidates, first)) else redis.call('DEL', KEYS[7]) end
end
if room <= 0 then return none end

local granted, lease, scores, lonely = {}, {}, {[true] = {}, [false] = {}}, false
local function grant(candidate, alone)
  left[is_look(candidate[1])] = left[is_look(candidate[1])] - 1
  local due = string.format('%.0f', math.max(candidate[2], not_before))
  granted[#granted + 1], granted[#granted + 2], granted[#granted + 3] = candidate[1], due, alone
  lease[#lease + 1], lease[#lease + 2] = candidate[1], fence .. '|' .. worker .. '|' .. due .. '|' .. alone
  local score = scores[is_look(candidate[1])]
  score[#score + 1], score[#score + 2] = lease_end, candidate[1]
end
for _, candidate in ipairs(candidates) do
  if #granted / 3 >= room then break end
  if candidate[3] >= tonumber(ARGV[10]) then
    redis.call('ZREM', set_of(candidate[1]), candidate[1])
    redis.call('HDEL', KEYS[6], candidate[1])
    quarantined[#quarantined + 1] = candidate[1]
  elseif left[is_look(candidate[1])] > 0 and candidate[3] < 0 then
    grant(candidate, 0)
  elseif left[is_look(candidate[1])] > 0 and idle and #granted == 0 then
    grant(candidate, 1)
    break
  elseif left[is_look(candidate[1])] > 0 then
    lonely = true
  end
end
if #granted > 0 then
  redis.call('SET', KEYS[11], fence, 'PX', 30 * 24 * 3600000)
  redis.call('HSET', KEYS[2], unpack(lease))
  for look, score in pairs(scores) do
    if #score > 0 then redis.call('ZADD', look and KEYS[8] or KEYS[1], unpack(score)) end
  end
end
local looks = #scores[true] / 2
if searches > room then share = math.min(1, share + (#granted / 3 - looks) / 4) end
share = math.max(0, share - math.max(0, looks - left_over))
if #granted > 0 then redis.call('SET', KEYS[9], share, 'PX', 3600000) end

local drain = 0
if lonely and (not drainer or drainer == worker) then
  redis.call('SET', KEYS[7], worker, 'PX', 15000)
  drain = 1
end

-- What is leased stands at the end of its lease, so the first one says whether something was left.
local function head(set)
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  return #first > 0 and tonumber(first[2]) or lease_end
end
local rest = math.floor(math.max(0, math.min(head(KEYS[1]), head(KEYS[8])) - now))
return {clock, fence, drain, quarantined, granted, rest}
