/**
 * The memory and open files of a process.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** In bytes. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

/** The most memory that a process had at a time, in bytes; NaN where the system does not tell. */
function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * The same without the files that are mapped into the process at the end, which the system takes back when it needs memory: the
 * program itself, and the tables of a database.
 */
export function peakOwnMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mapped = Number(/^RssFile:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    return peakMemory(pid) - mapped;
  } catch {
    return Number.NaN;
  }
}

/** The number of open files and connections; undefined if the system does not show it. */
export function openHandles(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

/** Of all threads of a process, in milliseconds; NaN where the system does not tell. */
export function processorTime(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
