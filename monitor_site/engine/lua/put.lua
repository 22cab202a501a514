-- Put ids into the schedule or take them out. A leased id is only marked: its return has it settled again.
-- KEYS due, lease, suspects, edited, looks, rank
-- ARGV id, how, due ms, ... ; due ms 0 means now
--   'at'      this time; what is overdue already stays where it is in the queue
--   'sooner'  never later than it was; adds an absent id too
--   'bound'   never later than this, if it is there
--   'new'     only if absent
--   'remove'
-- Returns how many ids were moved
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local moved = 0
for i = 1, #ARGV, 3 do
  local id, how, due = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  if due == 0 then due = now end
  local set = string.sub(id, 1, 5) == 'look:' and KEYS[5] or KEYS[1]
  if redis.call('HEXISTS', KEYS[2], id) == 1 then
    if how == 'at' or how == 'sooner' or how == 'remove' then redis.call('SADD', KEYS[4], id) end
  elseif how == 'remove' then
    moved = moved + redis.call('ZREM', set, id)
    redis.call('HDEL', KEYS[3], id)
    redis.call('HDEL', KEYS[6], id)
  elseif how == 'new' then
    moved = moved + redis.call('ZADD', set, 'NX', due, id)
  elseif how == 'sooner' then
    moved = moved + redis.call('ZADD', set, 'LT', 'CH', due, id)
  elseif how == 'bound' then
    moved = moved + redis.call('ZADD', set, 'XX', 'LT', 'CH', due, id)
  else
    local score = redis.call('ZSCORE', set, id)
    if not score or tonumber(score) > now then moved = moved + redis.call('ZADD', set, 'CH', due, id) end
  end
end
return moved
