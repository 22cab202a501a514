-- Give leases back: to the next beat of the grid, to a time of their own, to the due time they had, or out of the
-- schedule.
-- KEYS due, lease, suspects, edited, looks, rank
-- ARGV id, fence, how ('beat', 'at', 'release', 'remove'), phase ms, interval ms, delay ms,
--      due ms (of 'at' the next time, else the one served), rank or nothing, ...
-- Returns {ids that were no longer ours: left alone, but not blamed any more, since their worker lives},
--          {ids that were edited meanwhile; settle them again}
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local lost, edited, ranks = {}, {}, {}
for i = 1, #ARGV, 8 do
  local id, how = ARGV[i], ARGV[i + 2]
  local held = redis.call('HGET', KEYS[2], id)
  if not held or string.match(held, '^[^|]*') ~= ARGV[i + 1] then
    lost[#lost + 1] = id
    if redis.call('HEXISTS', KEYS[3], id) == 1 then redis.call('HSET', KEYS[3], id, 0) end
  else
    local set = string.sub(id, 1, 5) == 'look:' and KEYS[5] or KEYS[1]
    redis.call('HDEL', KEYS[2], id)
    if redis.call('SREM', KEYS[4], id) == 1 then edited[#edited + 1] = id end
    if ARGV[i + 7] ~= '' then ranks[#ranks + 1], ranks[#ranks + 2] = id, ARGV[i + 7] end
    if how == 'remove' then
      redis.call('ZREM', set, id)
      redis.call('HDEL', KEYS[6], id)
      redis.call('HDEL', KEYS[3], id)
    elseif how == 'release' then
      redis.call('ZADD', set, ARGV[i + 6], id)
    elseif how == 'at' then
      redis.call('HDEL', KEYS[3], id)
      redis.call('ZADD', set, math.max(now + tonumber(ARGV[i + 5]), tonumber(ARGV[i + 6])), id)
    else
      redis.call('HDEL', KEYS[3], id)
      local phase, interval = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
      local after = math.max(now + tonumber(ARGV[i + 5]), tonumber(ARGV[i + 6]))
      redis.call('ZADD', set, phase + (math.floor((after - phase) / interval) + 1) * interval, id)
    end
  end
end
if #ranks > 0 then redis.call('HSET', KEYS[6], unpack(ranks)) end
return {lost, edited}
