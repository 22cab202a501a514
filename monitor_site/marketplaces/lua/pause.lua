-- An operator's word about a breaker.
-- KEYS[1] breaker hash; KEYS[2] tally hash; KEYS[3] ms at which it closed last. ARGV[1] "pause", "resume" or "probe".
-- "pause" opens it with no end in sight, "resume" closes it when it was paused, "probe" lets one request try now where it
-- is open and not paused. Answers 1 when something changed.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'state', 'until', 'reason')
local paused = known[1] == 'open' and known[3] == 'paused'
if ARGV[1] == 'pause' then
  if paused then return 0 end
  redis.call('HSET', KEYS[1], 'state', 'open', 'until', '9999999999999', 'reason', 'paused',
    'opened', string.format('%.0f', now), 'length', '60000')
  redis.call('DEL', KEYS[2])
  return 1
end
if ARGV[1] == 'resume' then
  if not paused then return 0 end
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('SET', KEYS[3], string.format('%.0f', now), 'PX', 3600000)
  return 1
end
if known[1] ~= 'open' or paused or tonumber(known[2]) <= now then return 0 end
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now))
return 1
