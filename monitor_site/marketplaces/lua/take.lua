-- Take the tokens of requests from a marketplace's bucket, one after the other: of each request all of them or none.
-- KEYS[1] pace hash (tokens, at); ARGV[1] requests a minute, from ARGV[2] on for how many requests each one counts.
-- Answers for each the milliseconds to wait before trying again, 0 when its tokens are taken.
local per_minute = tonumber(ARGV[1])
local rate = per_minute / 60000
local cap = math.max(1, per_minute / 10)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or cap
local at = tonumber(bucket[2]) or now

-- A clock set back must not drain the bucket.
tokens = math.min(cap, tokens + math.max(0, now - at) * rate)
local waits = {}
for i = 2, #ARGV do
  local weight = tonumber(ARGV[i])
  -- A request heavier than the bucket goes when it is full, and leaves a debt that the next ones wait out.
  local needed = math.min(weight, cap)
  local wait = 0
  if tokens >= needed then
    tokens = tokens - weight
  else
    wait = math.ceil((needed - tokens) / rate)
  end
  waits[#waits + 1] = wait
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
-- Missing means full, so a bucket nobody asks for may go once it would be full again.
redis.call('PEXPIRE', KEYS[1], math.ceil((cap - math.min(0, tokens)) / rate) + 1000)
return waits
