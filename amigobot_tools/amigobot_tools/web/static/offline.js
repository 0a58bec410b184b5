// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Keeps the files of the page, so that it works without its server once it was loaded.
const FILES = []; // the build writes them here, with a hash of their content

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open("robot").then((cache) => cache.addAll(FILES)));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(fetch(event.request).catch(() => caches.match(event.request, { ignoreSearch: true })));
});
