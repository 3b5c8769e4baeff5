/** Formats numbers and times for display: short, and of equal width in columns. */

export function money(usd: number): string {
  if (usd === 0) return "$0.00";
  return usd < 0.1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** Formats seconds as 7:41 or 1:02:03, and with one decimal below ten seconds. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  const whole = Math.floor(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Formats an age as 12s, 3m, 2h or 5d. */
export function age(seconds: number): string {
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
  ];
  for (const [size, name] of units) {
    if (seconds >= size) return `${Math.floor(seconds / size)}${name}`;
  }
  return `${Math.max(0, Math.floor(seconds))}s`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1 << 20) return `${(count / 1024).toFixed(count < 10240 ? 1 : 0)} KB`;
  if (count < 1 << 30) return `${(count / (1 << 20)).toFixed(1)} MB`;
  return `${(count / (1 << 30)).toFixed(1)} GB`;
}

export function count(n: number, noun: string, many = `${noun}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? noun : many}`;
}

/** The last characters of an id. They identify it, and the command line accepts them. */
export function short(id: string): string {
  return id.slice(-8);
}

export function clock(at: number): string {
  return new Date(at * 1000).toLocaleTimeString(undefined, { hour12: false });
}

export function date(at: number): string {
  return new Date(at * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
