-- Open a marketplace's breaker, or keep it open for longer.
-- KEYS[1] breaker hash (state, until, reason, opened, length); KEYS[2] tally hash.
-- ARGV[1] milliseconds, ARGV[2] reason, ARGV[3] longest doubled opening in milliseconds, ARGV[4] 1 if the
-- marketplace itself said how long.
-- Answers {1 when this call opened a closed breaker else 0, milliseconds it stays open from now}.
local length, reason, longest = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'state', 'until', 'opened', 'length', 'reason')
local was_open = known[1] == 'open'
local ends = tonumber(known[2]) or 0
local opened = was_open and tonumber(known[3]) or now

-- The first time the marketplace says how long, it is taken at its word; said again after that wait, it is not enough.
local believed = ARGV[4] == '1' and known[5] ~= reason
if was_open and ends <= now and not believed then
  -- The probe failed: twice as long, and never shorter than the marketplace asks for.
  length = math.max(length, math.min(longest, 2 * (tonumber(known[4]) or length)))
elseif was_open and ends > now + length then
  return {0, ends - now}
end
redis.call('HSET', KEYS[1], 'state', 'open', 'until', string.format('%.0f', now + length), 'reason', reason,
  'opened', string.format('%.0f', opened), 'length', string.format('%.0f', length))
redis.call('DEL', KEYS[2])
return {was_open and 0 or 1, length}
