import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queryClient } from './data/query.ts';
import './styles/tokens.css';
import './styles/base.css';
import { showFullTexts } from './shell/full-text.ts';
import { prepared } from './shell/outlet.tsx';
import { Shell } from './shell/shell.tsx';

async function start(element: HTMLElement): Promise<void> {
  await prepared();
  createRoot(element).render(
    <QueryClientProvider client={queryClient}>
      <Shell />
    </QueryClientProvider>,
  );
}

const root = document.getElementById('root');
if (root) void start(root);
showFullTexts();
