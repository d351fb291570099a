/**
 * What a process has of the machine.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** Resident memory; in bytes. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

/** How many files and connections are open; nothing where the system does not tell. */
export function openHandles(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}
