-- Note how a request to a marketplace ended; decide whether its breaker opens, opens again or closes.
-- KEYS[1] breaker hash, KEYS[2] tally hash (per slot: n = which slot, ok, failed), KEYS[3] ms of the last success,
-- KEYS[4] ms at which it closed last.
-- ARGV[1] successes, ARGV[2] failures, ARGV[3] slot in ms, ARGV[4] slots, ARGV[5] fewest results,
-- ARGV[6] failed share that opens.
-- Answers "closed" when this call closed it, "trip" when it must be opened (again), else "".
local ok, failed = tonumber(ARGV[1]), tonumber(ARGV[2])
local width, slots = tonumber(ARGV[3]), tonumber(ARGV[4])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

if ok > 0 then redis.call('SET', KEYS[3], string.format('%.0f', now), 'PX', 30 * 24 * 3600 * 1000) end

local known = redis.call('HMGET', KEYS[1], 'state', 'until')
if known[1] == 'open' then
  -- What began before it opened proves nothing.
  if tonumber(known[2]) > now then return '' end
  if failed > 0 then return 'trip' end
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('SET', KEYS[4], string.format('%.0f', now), 'PX', 3600000)
  return 'closed'
end

local slot = math.floor(now / width)
local place = slot % slots
if tonumber(redis.call('HGET', KEYS[2], 'n' .. place)) ~= slot then
  redis.call('HSET', KEYS[2], 'n' .. place, string.format('%.0f', slot), 'ok' .. place, 0, 'failed' .. place, 0)
end
if ok > 0 then redis.call('HINCRBY', KEYS[2], 'ok' .. place, ok) end
redis.call('PEXPIRE', KEYS[2], width * slots)
if failed == 0 then return '' end
redis.call('HINCRBY', KEYS[2], 'failed' .. place, failed)

local all_ok, all_failed = 0, 0
for i = 0, slots - 1 do
  local row = redis.call('HMGET', KEYS[2], 'n' .. i, 'ok' .. i, 'failed' .. i)
  if tonumber(row[1]) and tonumber(row[1]) > slot - slots then
    all_ok, all_failed = all_ok + tonumber(row[2]), all_failed + tonumber(row[3])
  end
end
local all = all_ok + all_failed
if all >= tonumber(ARGV[5]) and all_failed / all >= tonumber(ARGV[6]) then return 'trip' end
return ''
