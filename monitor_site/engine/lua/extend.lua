-- Extend leases that are still held. A lost one is not taken back, but its worker lives: what it ran did not kill it.
-- KEYS due, lease, looks, suspects    ARGV lease ms, id, fence, id, fence, ...    Returns id, fence, ... of what is lost
local t = redis.call('TIME')
local lease_end = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) + tonumber(ARGV[1])
local lost, searches, looks = {}, {}, {}
for i = 2, #ARGV, 2 do
  local held = redis.call('HGET', KEYS[2], ARGV[i])
  if held and string.match(held, '^[^|]*') == ARGV[i + 1] then
    local score = string.sub(ARGV[i], 1, 5) == 'look:' and looks or searches
    score[#score + 1], score[#score + 2] = lease_end, ARGV[i]
  else
    lost[#lost + 1], lost[#lost + 2] = ARGV[i], ARGV[i + 1]
    if redis.call('HEXISTS', KEYS[4], ARGV[i]) == 1 then redis.call('HSET', KEYS[4], ARGV[i], 0) end
  end
end
if #searches > 0 then redis.call('ZADD', KEYS[1], 'XX', unpack(searches)) end
if #looks > 0 then redis.call('ZADD', KEYS[3], 'XX', unpack(looks)) end
return lost
