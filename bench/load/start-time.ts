/**
 * Measures the time from the start of a server to the line with its address.
 *
 * @module
 */
import type { Candidate } from './candidates.ts';
import { median } from './figures.ts';

export const START_HEADING: readonly string[] = ['from start to ready', 'ms'];

const STARTS = 11;

export async function measureStart(
  candidate: Candidate,
  folder: string,
): Promise<readonly string[]> {
  const times: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const server = await candidate.start(folder);
    times.push(server.readyIn);
    await server.stop();
  }
  return [candidate.name, median(times).toFixed(0)];
}
