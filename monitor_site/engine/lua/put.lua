-- Put ids into the schedule or take them out. A leased id is left alone: its return settles it.
-- KEYS due, lease, suspects
-- ARGV id, how ('at' this time, 'sooner' never later than it was, 'new' only if absent, 'remove'), due ms, ...
-- 'sooner' adds an absent id too; use it where the id belongs into the schedule
-- due ms 0 means now. Returns how many ids were moved
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local moved = 0
for i = 1, #ARGV, 3 do
  local id, how, due = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  if due == 0 then due = now end
  if redis.call('HEXISTS', KEYS[2], id) == 0 then
    if how == 'remove' then
      moved = moved + redis.call('ZREM', KEYS[1], id)
      redis.call('HDEL', KEYS[3], id)
    elseif how == 'new' then
      moved = moved + redis.call('ZADD', KEYS[1], 'NX', due, id)
    elseif how == 'sooner' then
      moved = moved + redis.call('ZADD', KEYS[1], 'LT', 'CH', due, id)
    else
      moved = moved + redis.call('ZADD', KEYS[1], 'CH', due, id)
    end
  end
end
return moved
