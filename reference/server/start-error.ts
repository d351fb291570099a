/**
 * Why a server cannot be started as it is asked to.
 *
 * @module
 */

/** Its message is one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** What a step of the start comes to; a failure of it is nobody's fault but that of who asked for it. */
export async function started<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
