/** A member's availability: the response that every client reads. */
export const body = JSON.stringify({
  memberId: "e0000000-0000-4000-8000-000000000001",
  timezone: "Europe/Berlin",
  isAvailable: true,
  availableHours: {
    monday: [{ start: "09:00", end: "17:00" }],
    tuesday: [{ start: "09:00", end: "17:00" }],
    wednesday: [{ start: "09:00", end: "17:00" }],
  },
});

export const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
