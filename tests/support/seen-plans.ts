import pg from 'pg';

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

/** How PostgreSQL carried out a statement that the service sent. */
export type SeenPlan = {
  text: string;
  ms: number;
  buffers: number;
  /** Tables that were read from end to end. */
  scanned: string[];
  plan: PlanNode;
};

const SETTINGS = {
  session_preload_libraries: `'auto_explain'`,
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** From now on, each new connection to the database gets a notice of how every statement is carried out. */
export async function explainStatements(dsn: string): Promise<void> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  const { rows } = await client.query('SELECT current_database() AS name');
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query(`ALTER DATABASE ${rows[0].name} SET ${name} = ${value}`);
  await client.end();
}

type Notices = { _handleNotice(notice: { message: string }): void };

/** Passes on the plan of each statement of this process until the returned function is called. */
export function watchPlans(see: (plan: SeenPlan) => void): () => void {
  const client = pg.Client.prototype as unknown as Notices;
  const { _handleNotice: original } = client;
  client._handleNotice = function (notice) {
    const [, ms, json] = /^duration: ([\d.]+) ms {2}plan:\n([\s\S]*)$/.exec(notice.message) ?? [];
    if (json === undefined) return original.call(this, notice);
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
    see({ text: text.replace(/\s+/g, ' ').trim(), ms: Number(ms), ...summaryOf(plan), plan });
  };
  return () => {
    client._handleNotice = original;
  };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const summaryOf = (plan: PlanNode) => ({
  buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  scanned: nodesOf(plan).flatMap((node) => (node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] as string] : [])),
});
