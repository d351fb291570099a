/**
 * Runs jobs in a worker, or on the page if the browser refuses to start one.
 *
 * @module
 */
import { type Job, type Report, runJob } from './jobs.ts';

/** The address of this script, which the worker runs too. */
const current = globalThis.document?.currentScript;
const script = current && 'src' in current ? current.src : '';

export interface Runner {
  /** Starts a job and cancels the previous one. */
  readonly start: (job: Job, report: (report: Report) => void) => void;
  readonly cancel: () => void;
}

/** @param onRefusal is called if the browser refuses to start a worker, for example on a page that is opened as a file */
export function createRunner(onRefusal: () => void): Runner {
  let idle: Worker | undefined;
  let busy: Worker | undefined;
  let isRefused = false;
  let turn = 0;
  const cancel = (): void => {
    turn += 1;
    busy?.terminate();
    busy = undefined;
  };
  const startWorker = (job: Job, report: (report: Report) => void, isOver: () => boolean): void => {
    const worker = idle ?? new Worker(workerUrl());
    [idle, busy] = [undefined, worker];
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if (data.kind !== 'progress') [idle, busy] = [worker, undefined];
      report(data);
    };
    worker.onerror = () => {
      isRefused = true;
      busy = undefined;
      onRefusal();
      void runHere(job, report, isOver);
    };
    worker.postMessage(job);
  };
  const start = (job: Job, report: (report: Report) => void): void => {
    cancel();
    const own = turn;
    const isOver = (): boolean => own !== turn;
    if (isRefused) void runHere(job, report, isOver);
    else startWorker(job, report, isOver);
  };
  return { start, cancel };
}

let url: string | undefined;

/** Starts a worker from a blob. It inherits the policy of the page, so it cannot open connections either. */
function workerUrl(): string {
  url ??= URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(script)})`]));
  return url;
}

/** The limit of a search that runs on the page and blocks it, in computed signatures. */
const FEW = 2000;

async function runHere(
  job: Job,
  report: (report: Report) => void,
  isOver: () => boolean,
): Promise<void> {
  const limited: Job =
    job.kind === 'explain' ? { ...job, options: { ...job.options, evaluations: FEW } } : job;
  const last = await runJob(limited, async (done, of) => {
    if (isOver()) return;
    report({ kind: 'progress', done, of });
    await new Promise((resolve) => setTimeout(resolve));
  });
  if (!isOver()) report(last);
}

/** Answers the messages of the page, in the worker. */
export function serveJobs(): void {
  globalThis.onmessage = async ({ data }: MessageEvent<Job>) => {
    const send = (report: Report): void => globalThis.postMessage(report);
    send(await runJob(data, (done, of) => send({ kind: 'progress', done, of })));
  };
}
