import type { JsonObject, LogReader } from './session.ts';

/**
 * The part of the kernel that following the log needs. A structural type, because the server package is loaded only for
 * a local store.
 */
type KernelLog<Caller> = {
  open(
    name: 'log.stream',
    input: unknown,
    caller: Caller,
  ): Promise<{
    toText(event: never): string;
    start(reader: { take(events: readonly never[]): undefined; end(error?: unknown): void }): void;
    close(): void;
  }>;
};

export async function followKernel<Caller>(
  kernel: KernelLog<Caller>,
  { input, caller }: { input: JsonObject; caller: Caller },
  reader: LogReader,
): Promise<() => void> {
  const subscription = await kernel.open('log.stream', input, caller);
  subscription.start({
    take(events) {
      for (const event of events) reader.take(JSON.parse(subscription.toText(event)));
      return undefined;
    },
    end: (error) => reader.end(error),
  });
  return () => subscription.close();
}
