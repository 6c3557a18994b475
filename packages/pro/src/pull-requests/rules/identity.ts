/** Who opened or reviewed: the key or the member behind it, and without keys the agent. */
export type Identified = { agent_id: string; holder: string | null };

export const identityOf = ({ agent_id, holder }: Identified): string =>
  holder === null ? `agent ${agent_id}` : `holder ${holder}`;
