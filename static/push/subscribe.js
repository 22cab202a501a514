// Asks the browser for a subscription and sends it with the form of the channel.
const box = document.getElementById("push");
const button = box.querySelector("button");
const form = document.getElementById("channel-form");
const say = (name) => (box.querySelector("output").textContent = box.dataset[name]);

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return say("denied");
  const worker = await navigator.serviceWorker.register(box.dataset.worker, { scope: "/" });
  await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: box.dataset.key };
  const subscription = await worker.pushManager.subscribe(options).catch(async () => {
    // One made with another key would never be heard, and is in the way.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(options);
  });
  const { endpoint, keys } = subscription.toJSON();
  form.elements.to_endpoint.value = endpoint;
  form.elements.to_p256dh.value = keys.p256dh;
  form.elements.to_auth.value = keys.auth;
  form.requestSubmit();
}

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  button.parentElement.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    say("asking");
    await subscribe().catch(() => say("failed"));
    button.disabled = false;
  });
} else say("unable");
