// Dates as people write them, in the zone of the reader: the same words as on the command line.

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SHORT_UNITS = { m: 60000, h: HOUR, d: DAY, w: 7 * DAY };

/** Midnight of a day, so many days later. */
function midnight(time, days = 0) {
  const at = new Date(time);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
}

/** A time so many units later, by the calendar. */
function later(time, number, unit) {
  const at = new Date(time);
  const day = at.getDate();
  const months = { month: 1, year: 12 }[unit];
  if (months) {
    at.setDate(1);
    at.setMonth(at.getMonth() + number * months);
    at.setDate(Math.min(day, new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate()));
  } else if (unit === 'day' || unit === 'week') at.setDate(day + number * (unit === 'week' ? 7 : 1));
  else at.setTime(time + number * { minute: 60000, min: 60000, hour: 3600000 }[unit]);
  return at.getTime();
}

/** A distance from the present: `3d`, `2 weeks`, `in 3 days`, `3 days ago`. */
function distance(text, future) {
  const [, before, bare, after] = /^(in )?(.*?)([ .]ago)?$/.exec(text);
  if (before && after) return null;
  const sign = after || (!before && !future) ? -1 : 1;
  const [, count, short] = /^(\d{1,9})([mhdw])$/.exec(bare) ?? [];
  if (short) return present + sign * count * SHORT_UNITS[short];
  const [, number, unit] = /^(\d{1,6})[ .]*(minute|min|hour|day|week|month|year)s?$/.exec(bare) ?? [];
  const at = unit ? later(present, sign * number, unit) : NaN;
  // More than the calendar has.
  return Number.isNaN(at) || new Date(at).getFullYear() > 9999 ? null : at;
}

/** Midnight of `today`, `friday`, `last friday`, `2026-11-20`. */
function dayOf(text, future) {
  const [, which, name] = /^(?:(last|next) )?(\S+)$/.exec(text) ?? [];
  if (!name) return null;
  const today = midnight(present);
  const weekday = WEEKDAYS.findIndex((full) => full === name || full.slice(0, 3) === name);
  if (weekday >= 0) {
    const ahead = (weekday - new Date(today).getDay() + 7) % 7;
    return midnight(today, which === 'next' || (!which && future) ? ahead || 7 : ahead - 7);
  }
  const near = { today: 0, tomorrow: 1, yesterday: -1 };
  if (which) return null;
  if (Object.hasOwn(near, name)) return midnight(today, near[name]);
  const [, year, , month, day] = /^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(name) ?? [];
  const at = new Date(year, month - 1, day);
  return day && at.getMonth() === month - 1 ? at.getTime() : null;
}

/** The first moments of a week, month or year and of the next one. */
function longer(text) {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (month) return [new Date(year, month - 1).getTime(), new Date(year, month).getTime()];
  const [, which, unit] = /^(last|this|next) (week|month|year)$/.exec(text) ?? [];
  if (!unit) return null;
  const now = new Date(midnight(present));
  const starts = {
    week: () => midnight(now, -((now.getDay() + 6) % 7)),
    month: () => new Date(now.getFullYear(), now.getMonth()).getTime(),
    year: () => new Date(now.getFullYear(), 0).getTime(),
  };
  const first = later(starts[unit](), { last: -1, this: 0, next: 1 }[which], unit);
  return [first, later(first, 1, unit)];
}

/** A time of day on a day, or alone. */
function timeOfDay(text, future) {
  const [, day, hour, minute, second = 0] = /^(?:(.+)[ t])?(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (!hour || hour > 23 || minute > 59 || second > 59) return null;
  const on = (start) => new Date(start).setHours(hour, minute, second, 0);
  if (day) {
    const start = dayOf(day.trim(), future);
    return start === null ? null : on(start);
  }
  const near = on(present);
  if (future) return near < present ? on(midnight(present, 1)) : near;
  return near > present ? on(midnight(present, -1)) : near;
}

/** The first moment of what a text names, the one after the last, and whether it is a distance; null for no date. */
function dated(written, future) {
  const text = written.trim().toLowerCase();
  if (text === 'now') return [present, present, false];
  // With its zone: RFC 3339, or as git prints it.
  const zoned = /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(z|[+-]\d\d:?\d\d)$/.exec(text);
  if (zoned) {
    const at = Date.parse(`${zoned[1]}T${zoned[2]}${zoned[3].toUpperCase().replace(/^(...)(\d\d)$/, '$1:$2')}`);
    return Number.isNaN(at) ? null : [at, at, false];
  }
  const far = distance(text, future);
  if (far !== null) return [far, far, true];
  const day = dayOf(text, future);
  if (day !== null) return [day, midnight(day, 1), false];
  const period = longer(text);
  if (period) return [...period, false];
  const at = timeOfDay(text, future);
  return at === null ? null : [at, at, false];
}
