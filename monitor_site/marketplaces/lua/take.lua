-- Take the tokens of one request from a marketplace's bucket: all of them or none.
-- KEYS[1] pace hash (tokens, at); ARGV[1] requests a minute, ARGV[2] for how many requests this one counts.
-- Answers the milliseconds to wait before trying again, 0 when the tokens are taken.
local per_minute, weight = tonumber(ARGV[1]), tonumber(ARGV[2])
local rate = per_minute / 60000
local cap = math.max(1, per_minute / 10)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or cap
local at = tonumber(bucket[2]) or now

-- A clock set back must not drain the bucket.
tokens = math.min(cap, tokens + math.max(0, now - at) * rate)
-- A request heavier than the bucket goes when it is full, and leaves a debt that the next ones wait out.
local needed = math.min(weight, cap)
local wait = 0
if tokens >= needed then
  tokens = tokens - weight
else
  wait = math.ceil((needed - tokens) / rate)
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
-- Missing means full, so a bucket nobody asks for may go once it would be full again.
redis.call('PEXPIRE', KEYS[1], math.ceil((cap - math.min(0, tokens)) / rate) + 1000)
return wait
