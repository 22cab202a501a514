// Shows what the push service brings and opens our page; a message that comes twice is shown once.
const ours = (url) => {
  const page = new URL(url || "/", self.location.origin);
  return page.origin === self.location.origin ? page.href : self.location.origin;
};

async function show(data) {
  const { id, title, body, url, urgent } = data;
  await self.registration.showNotification(title || self.location.host, {
    body, tag: id, data: { url }, requireInteraction: !!urgent, icon: "/static/ui/icon-192.png",
  });
}

async function open(url) {
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((one) => one.url === url);
  return page ? page.focus() : self.clients.openWindow(url);
}

function read(data) {
  try {
    return data.json();
  } catch {
    return {};
  }
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(ours(event.notification.data?.url)));
});
