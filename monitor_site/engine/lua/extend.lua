-- Extend leases that are still held. A lost one is not taken back.
-- KEYS due, lease    ARGV lease ms, id, fence, id, fence, ...    Returns id, fence, ... of what is lost
local t = redis.call('TIME')
local lease_end = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) + tonumber(ARGV[1])
local lost, score = {}, {}
for i = 2, #ARGV, 2 do
  local held = redis.call('HGET', KEYS[2], ARGV[i])
  if held and string.match(held, '^[^|]*') == ARGV[i + 1] then
    score[#score + 1], score[#score + 2] = lease_end, ARGV[i]
  else
    lost[#lost + 1], lost[#lost + 2] = ARGV[i], ARGV[i + 1]
  end
end
if #score > 0 then redis.call('ZADD', KEYS[1], 'XX', unpack(score)) end
return lost
