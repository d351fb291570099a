"""{'ops': ['action-signature', 'action-json', 'action-query', 'bucket-request'], 'rate': 60, 'inside': {'order': ('in_shuffle', 0), 'text': ('in_dup', 0)}}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(93)
