/** By name: the address of what is photographed, and texts that are there once it is complete. */
export const pictures = ({ pull, traceOf }) => ({
  overview: { address: '#/overview?range=1h', shows: ['Needs a person', 'incident-311'] },
  entry: {
    address: '#/memory/demo/checkout/payments?key=retry-policy',
    shows: ['regression', 'max_attempts'],
  },
  search: { address: '#/search?q=retry%20timeout', shows: ['gateway-timeout'] },
  timeline: { address: '#/timeline', shows: ['demo-deploy-bot', 'incident-311'] },
  trace: { address: `#/traces/${traceOf('deploy-2224')}`, shows: ['kubectl rollout restart'] },
  compare: {
    address: `#/traces/compare?a=${traceOf('deploy-2219')}&b=${traceOf('deploy-2231')}`,
    shows: ['smoke-test'],
  },
  agents: { address: '#/agents?view=graph&selected=agent:demo-deploy-bot', shows: ['Rolls out changes'] },
  pull: { address: `#/pulls/${pull}`, shows: ['Why not keep 200 ms'] },
});
