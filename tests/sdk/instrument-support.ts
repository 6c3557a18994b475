import type { JsonObject } from '@mem-service/contract';
import { type Client, createClient, type Session } from '@mem-service/sdk';
import { listen, openTestApp } from '../support/app.ts';
import { startProviders } from './providers.ts';
import type { StandIn } from './stand-in.ts';

export type Bench = {
  mem: Client;
  providers: StandIn;
  /** Seals a session and gives back the calls and spans of its trace. */
  sealed(session: Session): Promise<{ calls: JsonObject[]; spans: JsonObject[]; text: string; totalTokens: number }>;
  close(): Promise<void>;
};

/** Records are sent several at a time, so that they may arrive in another order than they were made. */
const inOrder = (records: JsonObject[]) =>
  records.toSorted((a, b) => Date.parse(a.startedAt as string) - Date.parse(b.startedAt as string));

export async function openBench(): Promise<Bench> {
  const app = await openTestApp('sqlite');
  const server = await listen(app);
  const providers = await startProviders();
  const mem = createClient({ url: server.url, agentId: 'agent/sdk' });
  return {
    mem,
    providers,
    async sealed(session) {
      const { traceId } = await session.commitOutcome({ outcomeRef: session.sessionId, outcomeType: 'success' });
      const trace = await mem.traces.read({ traceId: traceId as string });
      return {
        calls: inOrder(trace.sessionMetadata.llmCalls as unknown as JsonObject[]),
        spans: inOrder(trace.sessionMetadata.spans as unknown as JsonObject[]),
        text: JSON.stringify(trace),
        totalTokens: trace.totalTokens,
      };
    },
    async close() {
      await providers.close();
      await server.close();
      await app.close();
    },
  };
}
