"""Thin writers over one computed result: they print numbers, they never compute one."""
