"""Pictures: graphs and charts as SVG and DOT."""
