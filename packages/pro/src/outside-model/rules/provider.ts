/** By the end of a host's name. Others are not named: they may be known to the operator alone. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'openai.com': 'openai',
  'azure.com': 'azure',
  'anthropic.com': 'anthropic',
  'googleapis.com': 'google',
  'mistral.ai': 'mistral',
  'groq.com': 'groq',
  'openrouter.ai': 'openrouter',
  'together.xyz': 'together',
  'deepseek.com': 'deepseek',
  'x.ai': 'xai',
};

/** Whose server an address leads to. */
export function providerOf(url: string): string {
  const { hostname } = new URL(url);
  const found = Object.keys(PROVIDERS).find((end) => hostname === end || hostname.endsWith(`.${end}`));
  return PROVIDERS[found ?? ''] ?? 'openai-compatible';
}
