import { Worker } from 'node:worker_threads';
import type { OptionalMethod, ThreadLimits, ThreadMessage, ThreadSpec } from './thread-types.ts';

const OPTIONAL: readonly OptionalMethod[] = ['validate_signature', 'identify', 'reply'];

type ThreadEvents = {
  onReady: (methods: ReadonlySet<OptionalMethod>) => void;
  onMessage: (message: ThreadMessage) => void;
  /** Called once, at its end, with the reason. `isBroken`: it could not even begin. */
  onEnd: (reason: string, isBroken: boolean) => void;
};

/** A worker thread with a connector in it, from its start to its end. */
export class ConnectorWorker {
  readonly #worker: Worker;
  readonly #progress = new SharedArrayBuffer(8);
  readonly ended: Promise<void>;
  #reason: string | undefined;
  #isBroken = true;

  constructor(spec: ThreadSpec, limits: ThreadLimits, events: ThreadEvents) {
    const { file, class_name, folder, options, onOutput } = spec;
    this.#worker = new Worker(new URL('./connector.thread.mjs', import.meta.url), {
      // What process.env holds there: nothing of this process.
      env: options.variables,
      argv: [],
      execArgv: [],
      // Standard output may be a protocol.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.memory_mb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      name: `connector ${spec.name}`,
      workerData: {
        ...{ file, class_name, folder, options, progress: this.#progress },
        max_result_chars: 2 * spec.max_value_bytes,
        is_check: spec.is_check,
      },
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr])
      stream.on('data', (text: Buffer) => onOutput?.(String(text)));
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message, events));
    this.#worker.on('messageerror', () => void this.stop('sent what cannot be read'));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#reason ??=
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `used more than ${limits.memory_mb} MiB of memory`
          : reasonOf(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        events.onEnd(this.#reason ?? exitReason(code), this.#isBroken);
        resolve();
      });
    });
  }

  /** Which event of a batch the thread is at. */
  positionIn(id: number): number {
    const [position = 0, batch] = new Int32Array(this.#progress);
    return batch === id ? position : 0;
  }

  post(message: unknown): void {
    this.#worker.ref();
    this.#worker.postMessage(message);
  }

  /** The process may end meanwhile. */
  rest(): void {
    this.#worker.unref();
  }

  async stop(reason: string): Promise<void> {
    this.#reason ??= reason;
    await this.#worker.terminate();
  }

  #receive(message: ThreadMessage, { onReady, onMessage }: ThreadEvents): void {
    if (typeof message !== 'object' || message === null) return;
    const { ready, broken } = message;
    if (typeof broken === 'string') void this.stop(broken);
    else if (Array.isArray(ready)) {
      this.#isBroken = false;
      onReady(new Set(OPTIONAL.filter((name) => ready.includes(name))));
    } else onMessage(message);
  }
}

/** Node ends with 13 when nothing can resolve what a module awaits. */
const exitReason = (code: number): string =>
  code === 13 ? 'its module awaits what never comes' : `ended its thread, with exit code ${code}`;

const reasonOf = (error: unknown): string => `failed: ${error instanceof Error ? error.message : String(error)}`;
